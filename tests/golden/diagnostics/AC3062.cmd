pack FILE --template
