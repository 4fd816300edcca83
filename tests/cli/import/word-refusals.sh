# Files of word vectors that are refused, and options that are wrong.
echo old >old.weights
refused() { printf "$1" >v.txt; encode-import --vectors v.txt -o old.weights 2>&1; [ $? = 1 ] && cmp -s old.weights <(echo old) || echo WRITTEN; }
refused ''
refused '\n'
refused 'hello\nworld\n'
refused 'hello world\n'
refused '{"a": [1, 2]}\n'
refused 'a 1 2\nb 3\n'
refused 'a 1 2\nb\n'
refused 'a 1 2\nb 3 4 5\n'
refused 'a 1 2\n. . 3 4\n'
refused 'a 1 2\n\nb 3 4\n'
refused 'a 1 2\n 1 2\n'
refused 'a 1 2\n\xff\xfe 1 2\n'
refused 'a 1 2\n\033[2J x 2\n'
refused '3 2\n'
refused '3 2\na 1 2\nb 3 4\n'
refused '1 2\na 1 2\nb 3 4\n'
refused '0 2\n'
refused '3 0\n'
refused '3 65537\n'
refused '3 99999999999999999999999\n'
refused '3 4\na 1 2\nb 1 2\n'
refused '3 2\nabc \x9a\x99\x99?\x01\x01'
refused '\x1f\x8b\x08abc'
refused 'PK\x03\x04abc'
refused 'a 1 2\nb\0c 3 4\n'
refused "a 1 2\n$(head -c 1025 /dev/zero | tr '\0' w) 3 4\n" | cut -c -200
printf "a 1 2\n$(head -c 1024 /dev/zero | tr '\0' w) 3 4\n" | encode-import --vectors - -o long.weights
head -c 300000 /dev/zero >zeros; encode-import --vectors zeros -o old.weights
encode-import --vectors nowhere -o a
encode-import --vectors . -o a
printf 'a 1 2\nb 3 70000\n' >v.txt; encode-import --vectors v.txt --weights f16 -o old.weights
encode-import --vectors v.txt -o absent/a
encode-import --vectors v.txt -o w --position fourier --frequencies 1,2; ls w

# The output is no input, by whatever name, and is opened before anything is read.
printf 'a 1 2\nb 3 4\n' >v.txt; cp v.txt g.txt; ln -s g.txt l.txt; ln g.txt h.txt
encode-import --vectors g.txt -o g.txt
encode-import --vectors g.txt -o ./l.txt
encode-import --vectors l.txt -o g.txt
encode-import --vectors g.txt -o h.txt
encode-import --vectors - -o g.txt <g.txt
encode-import --vectors v.txt --only-words-of g.txt -o g.txt
encode-import --vectors g.txt --vectors g.txt -o x; encode-import --tokenizer-only g.txt --weights int8 -o x; encode-new --words a --words b -o x
encode-import --tokenizer-only g.txt -o g.txt
cmp v.txt g.txt && echo the file stays
encode-import --vectors v.txt -o -; ls ./-
encode-import --vectors g.txt -o g.txt --dry-run | head -n 1
encode-import --vectors nowhere -o nonexistent/x

# Wrong options.
encode-import --vectors v.txt
encode-import --vectors v.txt dir -o a
encode-import --vectors v.txt --tokenizer-only t -o a
encode-import --limit 3 dir -o a
encode-import --vectors v.txt -o a --limit 0
encode-import --vectors v.txt -o a --lower maybe
encode-import --vectors v.txt -o a --split words
encode-import --vectors v.txt -o a --only-words-of t --split blanks
encode-import --vectors - -o a --only-words-of -
encode-import --vectors v.txt -o a --position learned
encode-import --vectors v.txt -o a --position rotary
encode-import --vectors v.txt -o a --position-base 100
encode-import --vectors v.txt -o a --max-tokens 0
