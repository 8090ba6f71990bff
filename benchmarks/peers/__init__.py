"""Other filters, each in a file of its own, that learn and score the same messages; `known` lists them."""
