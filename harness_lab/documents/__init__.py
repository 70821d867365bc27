"""Pages and JSON Schemas that are generated from the product's code; ``scripts/regenerate`` writes most of them."""
