"""SplitMix64 and fair draws with Python's integers."""

WORD = 2**64


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) % WORD
        yield mix(state)


def draws(n, seed, resample):
    """n numbers below n: 32-bit numbers, lower half first, those that would favor some of the n left out."""
    stream = splitmix64(mix((seed + mix((resample + 0x9E3779B97F4A7C15) % WORD)) % WORD))
    found = []
    while len(found) < n:
        word = next(stream)
        for half in (word % 2**32, word >> 32):
            high, low = divmod(half * n, 2**32)
            if low >= 2**32 % n and len(found) < n:
                found.append(high)
    return found


def lane_sum(values, weights):
    """Weighted sum in eight lanes, a chunk of 4096 at a time."""
    total = 0.0
    for start in range(0, len(values), 4096):
        lanes = [0.0] * 8
        for i in range(start, min(start + 4096, len(values))):
            lanes[i % 8] += weights[i] * values[i]
        total += ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
    return total


def coins(seed, n, places):
    """For each of n permutations so many bits of its own stream, a word's lowest bit first."""
    found = []
    for number in range(n):
        stream = splitmix64(mix((seed + mix((number + 0x9E3779B97F4A7C15) % WORD)) % WORD))
        bits = [word >> bit & 1 for word in (next(stream) for _ in range(-(-places // 64))) for bit in range(64)]
        found.append(bits[:places])
    return found
