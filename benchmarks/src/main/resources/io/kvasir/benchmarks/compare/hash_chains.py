"""Chain hashes of token blocks as two engines compute them in Python.

Written after what the engines publish: vLLM's v1/core/kv_cache_utils.py, hash_block_tokens with the algorithm
"sha256" (SHA-256 over the pickled tuple of parent, tokens and extra keys), and SGLang's get_hash_str of HiCache
(SHA-256 over the parent's bytes and each token as four little-endian bytes).

usage: hash_chains.py BLOCKS TOKENS_PER_BLOCK; prints blocks a second as JSON
"""
import hashlib
import json
import pickle
import platform
import random
import statistics
import sys
import time


def pickled(tokens, size):
    parent = bytes(32)
    for at in range(0, len(tokens), size):
        value = (parent, tuple(tokens[at:at + size]), None)
        parent = hashlib.sha256(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)).digest()
    return parent


def token_by_token(tokens, size):
    parent = None
    for at in range(0, len(tokens), size):
        digest = hashlib.sha256()
        if parent:
            digest.update(bytes.fromhex(parent))
        for token in tokens[at:at + size]:
            digest.update(token.to_bytes(4, byteorder="little", signed=False))
        parent = digest.hexdigest()
    return parent


def blocks_per_second(chain, tokens, size):
    rates = []
    for _ in range(5):
        begin = time.perf_counter()
        chain(tokens, size)
        rates.append(len(tokens) / size / (time.perf_counter() - begin))
    return statistics.median(rates)


blocks, size = int(sys.argv[1]), int(sys.argv[2])
noise = random.Random(7)
prompt = [noise.randrange(150_000) for _ in range(blocks * size)]
print(json.dumps({
    "vllm": blocks_per_second(pickled, prompt, size),
    "sglang": blocks_per_second(token_by_token, prompt, size),
    "python": platform.python_version(),
}))
