"""The doors to libraries that bring PyTorch: each published library trains on, or collects from, our environments.

PyPI's torch for Linux needs CUDA's libraries to be imported at all, several GB, so this runs outside CI:
``make verify-doors`` makes an environment of its own (``ci/constraints-py311-doors.txt``) laid over the repository's,
runs the adapters' tests there and then each program below, and writes ``shared/results/doors/<door>.json``, from which
the table of shared/README.md is made.

| program | library | what it shows |
|---|---|---|
| `sb3` | stable-baselines3 | PPO learns CartPole; the policies are evaluated in Gymnasium's CartPole as well |
| `maskable` | sb3-contrib | MaskablePPO learns a walk with illegal actions, never refused one |
| `torchrl` | TorchRL | a collector's batches hold what the environment does, ends of episodes included |
| `pufferlib` | PufferLib | its trainer learns Pong in the arrays that it hands to `PongBuffers` |
"""
