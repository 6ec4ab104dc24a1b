"""A drop-in replacement for IQmt 2.0 (Giménez 2007): its configuration files, metric names, XML files and tables.

configs      IQsetup.config, IQeval.config and IQmt's names of metrics
tree         XML files, TARGET/REFERENCE/metric.xml, and similarities read from and written to them
setup        IQsetup: compute the files that are missing
evaluate     IQeval: QUEEN, KING, JACK and scores outside QARLA

The programs are cli/iqsetup.py and cli/iqeval.py.
"""
