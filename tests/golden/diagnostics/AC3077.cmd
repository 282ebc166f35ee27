printf FILE --buffer AC3077.dump --dwords-per-item 4
