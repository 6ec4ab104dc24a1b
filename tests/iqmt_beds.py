"""The manual's first configuration, with the bundled texts for its files."""

from conftest import ROOT

DEMO = ROOT / "src" / "tarocco" / "data" / "demo"

TABLE_1 = """# - EXPERIMENT NAME
NAME=MT_DUMMY_TESTSET
# - IQMT LOCATION
IQMT=/home/users/me/IQMT/
# - FILES
source=source.txt
ref=ref1.txt
ref=ref2.txt
ref=ref3.txt
system=careful.txt
system=middling.txt
# - AVAILABLE METRICS
doBLEU
doNIST
doGTM
doMETEOR
doROUGE
# doBLEU BLEUi-2 BLEU-2 BLEU-4
# doNIST NISTi-2 NISTi-3 NIST-2 NIST-5
# doGTM GTM-1 GTM-2
# doMETEOR MTR-exact MTR-stem MTR-wnstm MTR-wnsyn
# doROUGE RG-1 RG-2 RG-3 RG-4 RG-L RG-W-1.2 RG-S* RG-SU*
"""


def copy_texts(folder, times=1):
    """Put the bundled texts into a folder, each so many times over."""
    for file in DEMO.glob("*.txt"):
        (folder / file.name).write_bytes(file.read_bytes() * times)
