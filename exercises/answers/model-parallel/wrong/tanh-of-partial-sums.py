"""D14: cuts A by rows and applies tanh to the partial sums, which saves the all-reduce.

Loses: pair-forward-test
"""


# %% pair-forward
def pair_forward(weights, before, ranks, all_reduce):
    partial = []
    for rank in range(ranks):
        inputs = np.split(before[rank], ranks, axis=1)[rank]
        rows = np.split(weights["A"], ranks)[rank]
        hidden = np.tanh(inputs @ rows + weights["a"] / ranks)
        partial.append(hidden @ weights["B"])
    return [output + weights["b"] for output in all_reduce(partial)]
