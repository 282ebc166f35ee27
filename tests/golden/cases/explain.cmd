amdcompat inspect --explain
