#include "/work/main/tests/readme/readme_test.cpp"
#include "/work/main/tests/readme/site_test.cpp"
