# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Weighted longest common subsequence (ROUGE-W) of candidates and references, for several weightings in one pass.

The recurrence of Lin and Och (2004) always takes a match, and a run of k consecutive matches is worth f(k). The lengths
of runs do not depend on f, so all weightings share one pass through the table.

`compute_weighted_lcs` visits only the cells of a row that differ from the row above: matches, and the cells to the
right of a match whose values it raises.

`compute_short_weighted_lcs` shares work among the short candidates of a segment. A row of the table depends only on the
candidate's words up to that row, and a reference distinguishes only the words that it contains. Mapped in this way, the
candidates of an n-best list have long common prefixes. For each reference, they form a prefix tree; the table has one
row per step on the path to the current node.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

if cython.compiled:
    from cython.cimports.tarocco.kernels.interruption import is_interrupted
    from cython.cimports.tarocco.kernels.segments import Texts
else:
    from tarocco.kernels.interruption import is_interrupted
    from tarocco.kernels.segments import Texts

COMPILED = cython.compiled


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def raise_cell(cells: cython.double[:, ::1], j: cython.Py_ssize_t, weightings: cython.Py_ssize_t) -> cython.int:
    """Raise cell j to its left neighbor, for each weighting; return whether any value changed."""
    moved: cython.int = 0
    for e in range(weightings):
        left = cells[j - 1, e]
        value = cells[j, e]
        moved |= left > value
        cells[j, e] = left if left > value else value
    return moved


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_recurrence(
    mapped: cython.const[cython.int][::1],
    length: cython.Py_ssize_t,
    reference_length: cython.Py_ssize_t,
    firsts: cython.const[cython.int][:, ::1],
    nexts: cython.const[cython.int][:, ::1],
    other: cython.Py_ssize_t,
    worth: cython.const[cython.double][:, ::1],
    cells: cython.double[:, ::1],
    bases: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
) -> cython.void:
    """Fill cells[reference_length] with the value of each weighting.

    firsts[other, w] is the first position (from 1) of word w in the reference, nexts[other, j] the next position of the
    word at j, or 0. bases, runs and dips have two rows, used in turns: the value before the run that ends in a column,
    the length of this run, and the columns whose value is less than that of their left neighbor, which the next row
    raises.
    """
    j: cython.Py_ssize_t
    match: cython.Py_ssize_t
    dips_now: cython.Py_ssize_t = 0
    moved: cython.int
    weightings = worth.shape[1]
    for j in range(reference_length + 1):
        runs[0, j] = 0
        runs[1, j] = 0
        for e in range(weightings):
            cells[j, e] = 0.0
    for i in range(length):
        if i & 63 == 63 and is_interrupted():
            return
        now = i & 1
        before = 1 - now
        if i > 1:  # the runs of the row before the last have ended
            j = firsts[other, mapped[i - 2]]
            while j > 0:
                runs[now, j] = 0
                j = nexts[other, j]
        j = firsts[other, mapped[i]]
        while j > 0:  # store what the matches of this row build on, before the row changes
            run = runs[before, j - 1]
            runs[now, j] = run + 1
            for e in range(weightings):
                bases[now, j, e] = bases[before, j - 1, e] if run > 0 else cells[j - 1, e]
            j = nexts[other, j]
        dips_before = dips_now
        dips_now = 0
        dip: cython.Py_ssize_t = 0
        match = firsts[other, mapped[i]]
        while match > 0 or dip < dips_before:
            if match > 0 and (dip == dips_before or match <= dips[before, dip]):
                j = match
                match = nexts[other, j]
                if dip < dips_before and dips[before, dip] == j:
                    dip += 1
                moved = 0
                for e in range(weightings):
                    value = bases[now, j, e] + worth[runs[now, j], e]
                    moved |= value < cells[j - 1, e]
                    cells[j, e] = value
                if moved:
                    dips[now, dips_now] = cython.cast(cython.int, j)
                    dips_now += 1
            else:
                j = dips[before, dip]
                dip += 1
                raise_cell(cells, j, weightings)
            following = match if match > 0 else reference_length + 1
            if dip < dips_before and dips[before, dip] < following:
                following = dips[before, dip]
            j += 1
            while j < following and raise_cell(cells, j, weightings):
                j += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_optimum(
    mapped: cython.const[cython.int][::1],
    length: cython.Py_ssize_t,
    reference: cython.const[cython.int][::1],
    reference_length: cython.Py_ssize_t,
    worth: cython.const[cython.double][:, ::1],
    e: cython.Py_ssize_t,
    table: cython.double[:, ::1],
    runs: cython.int[:, ::1],
) -> cython.double:
    """Return the largest value of any common subsequence: each cell tries all lengths of the run that ends in it."""
    for j in range(reference_length + 1):
        table[0, j] = 0.0
        runs[0, j] = 0
        runs[1, j] = 0
    for i in range(1, length + 1):
        if i & 63 == 63 and is_interrupted():
            break
        table[i, 0] = 0.0
        for j in range(1, reference_length + 1):
            best = table[i - 1, j]
            if table[i, j - 1] > best:
                best = table[i, j - 1]
            runs[i & 1, j] = runs[1 - (i & 1), j - 1] + 1 if mapped[i - 1] == reference[j - 1] else 0
            for k in range(1, runs[i & 1, j] + 1):
                if table[i - k, j - k] + worth[k, e] > best:
                    best = table[i - k, j - k] + worth[k, e]
            table[i, j] = best
    return table[length, reference_length]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_as_rouge_155(
    mapped: cython.const[cython.int][::1],
    length: cython.Py_ssize_t,
    reference: cython.const[cython.int][::1],
    reference_length: cython.Py_ssize_t,
    worth: cython.const[cython.double][:, ::1],
    e: cython.Py_ssize_t,
    table: cython.double[:, ::1],
    runs: cython.int[:, ::1],
) -> cython.double:
    """Return the value of ROUGE-1.5.5: the weight of the runs of reference words on the recurrence's path."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    run: cython.int
    total: cython.double = 0.0
    for j in range(length + 1):
        table[0, j] = 0.0
        runs[0, j] = 0
        runs[1, j] = 0
    for i in range(1, reference_length + 1):
        if i & 63 == 63 and is_interrupted():
            return 0.0
        table[i, 0] = 0.0
        for j in range(1, length + 1):
            runs[i & 1, j] = 0
            if reference[i - 1] == mapped[j - 1]:
                run = runs[1 - (i & 1), j - 1]
                table[i, j] = table[i - 1, j - 1] + worth[run + 1, e] - worth[run, e]
                runs[i & 1, j] = run + 1
            elif table[i - 1, j] >= table[i, j - 1]:
                table[i, j] = table[i - 1, j]
            else:
                table[i, j] = table[i, j - 1]
    i = reference_length
    j = length
    run = 0
    while i > 0 and j > 0:
        if reference[i - 1] == mapped[j - 1]:
            run += 1
            i -= 1
            j -= 1
        elif table[i - 1, j] >= table[i, j - 1]:
            total += worth[run, e]
            run = 0
            i -= 1
        else:
            j -= 1
    return total + worth[run, e]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def index_references(
    references: Texts,
    segment: cython.int,
    numbers: cython.int[:, ::1],
    firsts: cython.int[:, ::1],
    nexts: cython.int[:, ::1],
) -> cython.void:
    """Number the words of a segment's references from 1 on, and fill firsts and nexts."""
    known: cython.int = 0
    n_references = references.groups[segment + 1] - references.groups[segment]
    for other in range(n_references):
        firsts[other, 0] = 0
        row = references.rows[references.groups[segment] + other]
        start = references.bounds[row]
        for i in range(references.bounds[row + 1] - start - 1, -1, -1):
            word = references.words[start + i]
            if numbers[word, 1] != segment:
                known += 1
                numbers[word, 0] = known
                numbers[word, 1] = segment
                for k in range(n_references):
                    firsts[k, known] = 0
            number = numbers[word, 0]
            nexts[other, i + 1] = firsts[other, number]
            firsts[other, number] = cython.cast(cython.int, i + 1)


def compute_weighted_lcs(
    candidates: Texts,
    references: Texts,
    variant: cython.int,
    worth: cython.const[cython.double][:, ::1],
    numbers: cython.int[:, ::1],
    mapped: cython.int[::1],
    reference: cython.int[::1],
    firsts: cython.int[:, ::1],
    nexts: cython.int[:, ::1],
    cells: cython.double[:, ::1],
    bases: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
    table: cython.double[:, ::1],
    out: cython.double[:, ::1],
):
    """Fill out[pair, weighting] for each pair with out[pair, 0] < 0; worth[k, weighting] is f(k), worth[0] is 0.

    Variant 0 is the recurrence of the paper, 1 the optimum, 2 the value of ROUGE-1.5.5; only 1 and 2 use `table`.
    numbers[word] = [number of the word within the segment, segment].
    """
    pair: cython.Py_ssize_t = 0
    with cython.nogil:
        for segment in range(cython.cast(cython.int, candidates.groups.shape[0] - 1)):
            index_references(references, segment, numbers, firsts, nexts)
            n_references = references.groups[segment + 1] - references.groups[segment]
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                start = candidates.bounds[candidates.rows[member]]
                length = candidates.bounds[candidates.rows[member] + 1] - start
                for i in range(length):
                    word = candidates.words[start + i]
                    mapped[i] = numbers[word, 0] if numbers[word, 1] == segment else 0
                for other in range(n_references):
                    row = references.rows[references.groups[segment] + other]
                    start = references.bounds[row]
                    reference_length = references.bounds[row + 1] - start
                    if out[pair, 0] >= 0:
                        pass
                    elif variant == 0:
                        compute_recurrence(
                            mapped, length, reference_length, firsts, nexts, other, worth, cells, bases, runs, dips
                        )
                        for e in range(out.shape[1]):
                            out[pair, e] = cells[reference_length, e]
                    else:
                        for i in range(reference_length):
                            reference[i] = numbers[references.words[start + i], 0]
                        for e in range(out.shape[1]):
                            if variant == 1:
                                out[pair, e] = compute_optimum(
                                    mapped, length, reference, reference_length, worth, e, table, runs
                                )
                            else:
                                out[pair, e] = compute_as_rouge_155(
                                    mapped, length, reference, reference_length, worth, e, table, runs
                                )
                    pair += 1


# Columns of the nodes of a prefix tree; -1 is none.
WORD = cython.declare(cython.int, 0)
CHILD = cython.declare(cython.int, 1)  # the first child
SIBLING = cython.declare(cython.int, 2)  # the next child of the parent
TEXT = cython.declare(cython.int, 3)  # a candidate that ends here
NONE = cython.declare(cython.int, -1)


@cython.cclass
class PrefixTree:
    """The prefix tree of some candidates, as seen by a reference."""

    nodes: cython.int[:, ::1]
    used: cython.int  # number of nodes
    same: cython.Py_ssize_t[::1]  # of each candidate: another candidate that ends in the same node, or -1
    path: cython.int[::1]  # the node of each row
    numbers: cython.int[:, ::1]  # of each word: [number of the word within the reference, number of the reference]
    firsts: cython.int[::1]  # of each numbered word: its first position in the reference, from 1
    nexts: cython.int[::1]  # of each position: the next one with the same word, or 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_child(parent: cython.int, word: cython.int, nodes: cython.int[:, ::1], used: cython.int) -> cython.int:
    """Return the child of a node for a word, adding node number `used` if there is none."""
    first = nodes[parent, CHILD]
    node: cython.int = first
    while node >= 0 and nodes[node, WORD] != word:
        node = nodes[node, SIBLING]
    if node < 0:
        node = used
        nodes[node, WORD] = word
        nodes[node, CHILD] = NONE
        nodes[node, SIBLING] = NONE
        nodes[node, TEXT] = NONE
        if first < 0:
            nodes[parent, CHILD] = node
        else:  # the child of the best candidates is the most frequent one, so it stays first
            nodes[node, SIBLING] = nodes[first, SIBLING]
            nodes[first, SIBLING] = node
    return node


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_row(
    i: cython.Py_ssize_t,
    match: cython.Py_ssize_t,
    reference_length: cython.Py_ssize_t,
    lines: cython.const[cython.Py_ssize_t][::1],
    nexts: cython.const[cython.int][::1],
    worth: cython.const[cython.double][:, ::1],
    cells: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
) -> cython.void:
    """Fill line i of the table for row i; `match` is the first position (from 1) of the row's word, or 0.

    A match is always taken, so a cell can be less than its left neighbor: a dip, which the next row raises. From one
    match, or dip of the row above, to the next one, the largest value to the left is that of the first cell.
    """
    lanes = worth.shape[1]
    start: cython.Py_ssize_t = 0
    above = lines[i - 1]
    dip: cython.int = 1
    n_dips: cython.int = 0
    run: cython.int
    runs[i, 0] = 0
    while True:
        end: cython.Py_ssize_t = match if match > 0 else reference_length + 1
        if dip <= dips[above, 0] and dips[above, dip] <= end:
            end = dips[above, dip]
            dip += 1
        for j in range(start + 1, end):
            runs[i, j] = 0
            for e in range(lanes):
                carried = cells[i, start, e]
                value = cells[above, j, e]
                cells[i, j, e] = carried if carried > value else value
        if end > reference_length:
            break
        start = end
        if start == match:
            run = runs[above, start - 1] + 1 if above == i - 1 else 1
            falls: cython.int = 0
            for e in range(lanes):
                value = cells[lines[i - run], start - run, e] + worth[run, e]
                falls |= value < cells[i, start - 1, e]
                cells[i, start, e] = value
            if falls:
                n_dips += 1
                dips[i, n_dips] = cython.cast(cython.int, start)
            match = nexts[start]
        else:
            run = 0
            for e in range(lanes):
                carried = cells[i, start - 1, e]
                value = cells[above, start, e]
                cells[i, start, e] = carried if carried > value else value
        runs[i, start] = run
    dips[i, 0] = n_dips


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def index_reference(
    tree: PrefixTree, references: Texts, start: cython.Py_ssize_t, length: cython.Py_ssize_t, stamp: cython.int
) -> cython.void:
    """Number the words of a reference from 1 on, and fill firsts and nexts."""
    known: cython.int = 0
    for i in range(length - 1, -1, -1):
        word = references.words[start + i]
        if tree.numbers[word, 1] != stamp:
            known += 1
            tree.numbers[word, 0] = known
            tree.numbers[word, 1] = stamp
            tree.firsts[known] = 0
        number = tree.numbers[word, 0]
        tree.nexts[i + 1] = tree.firsts[number]
        tree.firsts[number] = cython.cast(cython.int, i + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def insert_candidate(
    tree: PrefixTree, candidates: Texts, row: cython.Py_ssize_t, number: cython.Py_ssize_t, stamp: cython.int
) -> cython.bint:
    """Insert candidate `number`; return False if it has no word of the reference."""
    node: cython.int = 0
    tree.nodes[0, WORD] = 0
    for i in range(candidates.bounds[row], candidates.bounds[row + 1]):
        of_word: cython.int = candidates.words[i]
        word: cython.int = tree.numbers[of_word, 0] if tree.numbers[of_word, 1] == stamp else 0
        if word or tree.nodes[node, WORD]:  # consecutive unknown words are like one, and leading ones like none
            node = find_child(node, word, tree.nodes, tree.used)
            tree.used += node == tree.used
    if node == 0:
        return False
    tree.same[number] = tree.nodes[node, TEXT]
    tree.nodes[node, TEXT] = cython.cast(cython.int, number)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def walk_tree(
    tree: PrefixTree,
    lines: cython.Py_ssize_t[::1],
    nexts: cython.const[cython.int][::1],
    worth: cython.const[cython.double][:, ::1],
    cells: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
    reference_length: cython.Py_ssize_t,
    pair: cython.Py_ssize_t,
    n_references: cython.Py_ssize_t,
    out: cython.double[:, ::1],
) -> cython.void:
    """Fill the table along each path, and out[pair + number * n_references] for each candidate of the tree.

    lines[k] is the line that holds row k: line k, or that of an equal row above. dips[line] has the number of dips of a
    line and their columns.
    """
    i: cython.Py_ssize_t = 1
    text: cython.Py_ssize_t
    node: cython.int = tree.nodes[0, CHILD]
    while node >= 0:
        tree.path[i] = node
        word = tree.nodes[node, WORD]
        if word == 0 and dips[lines[i - 1], 0] == 0:
            lines[i] = lines[i - 1]
        else:
            lines[i] = i
            fill_row(
                i, tree.firsts[word], reference_length,
                lines, nexts, worth, cells, runs, dips,
            )  # fmt: skip
        text = tree.nodes[node, TEXT]
        while text >= 0:
            for e in range(out.shape[1]):
                out[pair + text * n_references, e] = cells[lines[i], reference_length, e]
            text = tree.same[text]
        node = tree.nodes[node, CHILD]
        i += 1
        while node < 0 and i > 1:
            i -= 1
            node = tree.nodes[tree.path[i], SIBLING]


def compute_short_weighted_lcs(
    candidates: Texts,
    references: Texts,
    worth: cython.const[cython.double][:, ::1],
    numbers: cython.int[:, ::1],
    firsts: cython.int[::1],
    nexts: cython.int[::1],
    nodes: cython.int[:, ::1],
    same: cython.Py_ssize_t[::1],
    path: cython.int[::1],
    lines: cython.Py_ssize_t[::1],
    cells: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
    out: cython.double[:, ::1],
):
    """Fill out[pair, weighting] with the recurrence's value, or out[pair, 0] with -1 if a text exceeds the table.

    worth[k, weighting] is f(k), worth[0] is 0; it may have more columns than `out`. `same` limits the number of
    candidates in a tree and `nodes` that of their words. The first line and the first column of the table are 0, and so
    is lines[0]. Returns the number of pairs that are left out.
    """
    stamp: cython.int = 0
    left_out: cython.Py_ssize_t = 0
    base: cython.Py_ssize_t = 0
    tree: PrefixTree = PrefixTree()
    tree.nodes = nodes
    tree.same = same
    tree.path = path
    tree.numbers = numbers
    tree.firsts = firsts
    tree.nexts = nexts
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            n_references = references.groups[segment + 1] - references.groups[segment]
            for other in range(n_references):
                row = references.rows[references.groups[segment] + other]
                start = references.bounds[row]
                reference_length = references.bounds[row + 1] - start
                stamp += 1
                if reference_length < cells.shape[1]:
                    index_reference(tree, references, start, reference_length, stamp)
                last = candidates.groups[segment]
                while last < candidates.groups[segment + 1]:
                    first = last
                    first_pair = base + (first - candidates.groups[segment]) * n_references + other
                    room = nodes.shape[0] - 1
                    tree.used = 1
                    nodes[0, CHILD] = NONE
                    while last < candidates.groups[segment + 1] and last - first < same.shape[0]:
                        row = candidates.rows[last]
                        pair = first_pair + (last - first) * n_references
                        length = candidates.bounds[row + 1] - candidates.bounds[row]
                        if length >= cells.shape[0] or reference_length >= cells.shape[1]:
                            out[pair, 0] = -1.0
                            left_out += 1
                        else:
                            room -= length
                            if room < 0:
                                break
                            if not insert_candidate(tree, candidates, row, last - first, stamp):
                                for e in range(out.shape[1]):
                                    out[pair, e] = 0.0
                        last += 1
                    walk_tree(
                        tree, lines, nexts, worth, cells, runs, dips, reference_length, first_pair, n_references, out
                    )
            base += n_references * (candidates.groups[segment + 1] - candidates.groups[segment])
    return left_out
