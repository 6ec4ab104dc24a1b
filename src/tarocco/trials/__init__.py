"""The trial: everything the data allow, and one verdict in plain words.

inputs         texts, metrics and settings of a run, from arguments and experiment files
plan           which steps the data allow, and what is missing for the others
trial          the public function; runs all steps and shares what they compute
breakdowns     scores by group and by length, and how similarly metrics rank segments
judgments      what ORANGE, KING, people and audits say of each metric
system_groups  which systems differ significantly
highlights     the most surprising findings
verdict        the rules of trust, and the verdict
findings       the records that pages, tables and JSON are made from
"""
