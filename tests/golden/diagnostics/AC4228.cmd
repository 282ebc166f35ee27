convert -v --summary --to yaml --code-object 3 FILE
