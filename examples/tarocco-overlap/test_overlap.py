import pytest
from tarocco_overlap import Overlap

from tarocco.testing import check_metric


@pytest.mark.parametrize("name", Overlap.names)
def test_laws(name):
    check_metric(name)
