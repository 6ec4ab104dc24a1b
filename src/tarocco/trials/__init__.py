"""The main job: everything that the data allow, and one verdict in plain words.

findings    everything that a run can find out, in one record: what pages and verdicts are made from
"""
