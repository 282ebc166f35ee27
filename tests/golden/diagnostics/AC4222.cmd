convert -v --summary --to yaml --code-object 4 FILE
