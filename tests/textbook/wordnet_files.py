"""WordNet's database files, read line by line each time: slow, and plain to see through."""

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

SUFFIXES = {
    "n": "s>,ses>s,xes>x,zes>z,ches>ch,shes>sh,men>man,ies>y",
    "v": "s>,ies>y,es>e,es>,ed>e,ed>,ing>e,ing>",
    "a": "er>,est>,er>e,est>e",
    "r": "",
}


class Files:
    def __init__(self, folder):
        self.index, self.exceptions, self.synsets = {}, {}, {}
        for part, name in PARTS.items():
            self.index[part], self.exceptions[part] = {}, {}
            for line in (folder / f"index.{name}").read_text().splitlines():
                if not line.startswith("  "):
                    # lemma, part of speech, number of synsets, number of pointers and those, two counts, offsets
                    lemma, _, count, pointers, *rest = line.split()
                    offsets = rest[int(pointers) + 2 :]
                    assert len(offsets) == int(count)
                    self.index[part][lemma] = [(part, int(offset)) for offset in offsets]
            for line in (folder / f"{name}.exc").read_text().splitlines():
                form, *bases = line.split()
                self.exceptions[part].setdefault(form, []).extend(bases)
            for line in (folder / f"data.{name}").read_text().splitlines():
                if not line.startswith("  "):
                    fields = line.partition(" |")[0].split()
                    words = int(fields[3], 16)
                    own, rest = fields[4 : 4 + 2 * words : 2], fields[4 + 2 * words :]
                    above = set()
                    for pointer in range(int(rest[0])):
                        symbol, offset, kind = rest[1 + 4 * pointer : 4 + 4 * pointer]
                        if symbol in ("@", "@i"):
                            above.add((kind, int(offset)))
                    lemmas = {word.lower().removesuffix("(a)").removesuffix("(p)").removesuffix("(ip)") for word in own}
                    self.synsets[part, int(fields[0])] = lemmas, above

    def base_forms(self, word, part):
        found = [word]
        if word in self.exceptions[part]:
            found += self.exceptions[part][word]
        elif not (part == "n" and not word.endswith("ful") and (word.endswith("ss") or len(word) <= 2)):
            stump, tail = (word[:-3], "ful") if part == "n" and word.endswith("ful") else (word, "")
            for rule in SUFFIXES[part].split(",") if SUFFIXES[part] else ():
                suffix, ending = rule.split(">")
                if stump.endswith(suffix):
                    found.append(stump[: len(stump) - len(suffix)] + ending + tail)
        return [one for one in dict.fromkeys(found) if one in self.index[part]]
