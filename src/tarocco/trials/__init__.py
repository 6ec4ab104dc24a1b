"""The main job: everything that the data allow, and one verdict in plain words.

findings    everything that a run can find out, in one record: what pages and verdicts are made from
material    what a trial works on: texts, metrics, lists, people, labels
plan        what the data allow, and what is missing for the rest
running     all steps, with what they share computed once
agreement   how alike metrics judge segments
breakdowns  scores of groups, and of segments of similar length
standings   what each judge says of each metric
systems     which systems differ for real
interesting the findings worth telling, by size
verdict     the rules of trust, and the verdict
records     the same for programs
trial       the public function
"""
