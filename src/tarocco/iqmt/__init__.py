"""IQmt 2.0, drop-in (Giménez 2007): its configuration files, its metrics' names, its XML files and its tables.

    names           which of our metrics each of IQmt's names is
    setup_config    IQsetup.config: files and metrics of a test bed
    eval_config     IQeval.config: names of files, sets of metrics, systems, references and segments
    scores_file     one IQ XML file
    tree            the files of a test bed, TARGET/REFERENCE/metric.xml
    texts           the texts of a test bed, and computing what the tree misses
    setting_up      what IQsetup does
    evaluating      what IQeval asks of a test bed, and the numbers that answer it
    layout          IQeval's tables
    exchange        similarities to and from a tree, for programs

The programs are cli/iqsetup.py and cli/iqeval.py.
"""
