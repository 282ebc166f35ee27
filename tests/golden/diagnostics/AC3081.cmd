printf FILE --buffer AC3082.dump --dwords-per-item 4
