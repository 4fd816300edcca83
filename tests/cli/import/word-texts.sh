# What encode-import --vectors makes: forms of files, which words of a text are found, and what runs on it.
import() { printf "$1" >v.txt; encode-import --vectors v.txt -o v.weights "${@:2}"; }
ids() { encode -m v.weights --tokens -f ids --no-special "$@"; }
rows() { encode -m v.weights -f csv "$@" 2>/dev/null | cut -d, -f 3- ; }
import 'the 0.5 -1e-3\nof 2 .25\n.\u00A0. -3 4.\n'; encode-inspect --verify v.weights | grep -E 'metadata|words|sha256|checksum'
for form in '2 2\nthe 0.5 -1e-3\nof 2 .25\n' '2 2 \nthe 0.5 -1e-3 \nof 2 .25 \n' 'the 0.5 -1e-3\r\nof 2 .25\r\n' '\xEF\xBB\xBFthe 0.5 -1e-3\nof 2 .25' 'the\t0.50\t-0.001\nof  2.0   25e-2\n' 'the +0.5 -.1E-2\nof 00002 0.25\n'; do import "$form" 2>/dev/null || echo exit code $?; rows 'the of'; done
encode-import --vectors - --name V -o a.weights <v.txt; encode-import --vectors v.txt --name V -o b.weights; encode -m a.weights -f csv 'the of' >a.csv; encode -m b.weights -f csv 'the of' | cmp - a.csv && echo the same; encode-inspect a.weights | grep -c sha256
import '2000 1 2\n1.5 3 4\n-1e3 5 6\n' --split blanks && rows '2000 1.5 -1e3'
import 'a 3\n6 2\n7 3\n'
import '5 3\n6 2\n7 3\n'
import '4 2\na 1 2\nc 3 4\na 9 9\nc 9 9\n' && rows 'a c'
import '<unk> 1 2\n[UNK] 3 4\ndog 5 6\n' --lower yes --split blanks && encode -m v.weights --all '<unk> x dog'

# Which words of a text are found.
import "dog 1 2\n, 3 4\nwell-known 5 6\nu.s. 7 8\njosé 9 1\n's 2 3\n1,000 4 5\nwell 6 7\nno. 8 9\n"
ids 'Dog,' 'DOG, dog' 'a Well-Known JOSÉ' 'the U.S. (1,000)' 'unwell-known' "dog's"
encode-import --vectors v.txt -o v.weights --split blanks; ids "Dog , 's no. dog,"
encode-import --vectors v.txt -o v.weights --lower no; ids 'Dog dog'
import 'dog 1 2\nParis 3 4\nparis 5 6\nÉcole 7 8\n'; ids 'Dog Paris paris École'
encode-import --vectors v.txt -o v.weights --lower yes; ids 'Dog Paris'
import 'dog 1 2\nÉcole 7 8\n'

# Some words alone: the first ones, or those of texts, whose ids are by frequency.
import '9 2\na 1 2\na 5 6\nc 7 8\nbroken\n' --limit 3 && rows c
echo a b >t.txt; import 'x 1 2\na 5 6\nb 7 8\n' --only-words-of t.txt --limit 2; encode-import --vectors v.txt -o v.weights --only-words-of t.txt --limit 3
printf 'The wolf, the quokka!\nRed wolf and the numbat\n' >t.txt; import '5 2\nred 1 2\nwolf 3 4\nthe 5 6\nred 9 9\nblue 7 8\n' --only-words-of t.txt; encode -m v.weights --all 'the wolf quokka red and'; ids 'Red WOLF, zebra the'
encode-import --vectors v.txt --only-words-of - -o s.weights <t.txt 2>/dev/null; encode -m s.weights --tokens -f ids 'Red WOLF, zebra the'
encode-import --vectors v.txt --only-words-of t.txt -o v.weights --lower no 2>/dev/null; ids 'The the wolf'
echo quokka numbat >t.txt; encode-import --vectors v.txt --only-words-of t.txt -o u.weights
encode-import --vectors v.txt --only-words-of no -o u.weights; ls u.weights

# What runs on it.
import 'dog 1 2\nwolf 2 3\nking -1 0.5\n' --max-tokens 100
for pooling in mean model; do encode -m v.weights -p $pooling -f csv 'Dog wolf' zebra ''; done
encode-compare similarity -m v.weights dog wolf zebra
printf 'king\nzebra\nwolf\n' | encode -m v.weights --rank dog
encode-compare words -m v.weights 'dog wolf king' 'king wolf dog'
encode -m v.weights --tokens 'Dog zebra'
encode-import --vectors v.txt -o p.weights --position sinusoidal --position-base 100 --embedding-scale sqrt --position-scale 2 2>/dev/null; encode -m p.weights -f csv 'dog wolf' >p.csv; encode -m v.weights -f csv --position sinusoidal --position-base 100 --embedding-scale sqrt --position-scale 2 'dog wolf' | cmp - p.csv && echo the same
encode-import --vectors v.txt -o p.weights --position fourier --frequencies 0.25 2>/dev/null && encode-inspect --verify p.weights | grep -E 'position|ok|right'
encode-import --vectors v.txt --dry-run -o dry.weights 2>/dev/null | head -n 3; ls dry.weights

# Types: what each holds of -3 and 0.7, and of a row of zeros.
for type in f32 f16 bf16 int8; do import 'dog 1 2\nwolf -3 0.7\nzero 0 0\n' --weights $type 2>/dev/null; rows 'wolf zero'; done
