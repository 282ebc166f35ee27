printf FILE --buffer AC3080.dump --abi hsa
