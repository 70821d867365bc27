"""What benchmarks start as processes of their own, and the provider SDKs alone."""
