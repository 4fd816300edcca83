# What is in pictures that gnuplot draws: words of an SVG, pages, scripts and fonts.
export ENCODE_MODEL=toy.weights
words_of() { encode-plot "$@" -f svg | grep -oE '>[^<>]+</text>' | sed 's/^>//; s/<.*//' | grep -vE '^[−0-9.-]+$' | sort | uniq -c | tr -s ' '; }
words_of attention 'I ride bike' --head 1
words_of attention 'I ride bike'
words_of words 'I ride bike'
words_of order 'I ride bike'
words_of layers 'I ride bike'
words_of similarity 'I ride bike' 'bike ride I' dog
words_of position --kind waves --width 8
encode-plot position --kind waves --width 8 -f svg | grep -c '<title>dim 2</title>'

# Arrows lead from words to where positions move them; words that stay have none.
for other in 'bike ride I' 'I ride bike'; do encode-plot words 'I ride bike' "$other" -f svg | grep -c 'rgb(128, 128, 128)'; done

# Titles are not cut at the size that a picture has by itself.
for options in '--embedding-scale sqrt --position-scale 10' '--position exponential --position-base 500 --embedding-scale 10 --position-scale 100'; do encode-plot words 'I ride bike' 'bike ride I' $options -f svg | grep -c …; done
encode-plot position --position fourier --frequencies 0.125,0.25 --beside exponential --beside binary -f svg | grep -c …
echo 'A long title, which goes on: it is broken (where a clause ends) into lines, and words that are longerthanalinecanbeandthereforearecutwhereverthelineends are cut' | encode-new --words 'I ride' --layers 1 --width 8 --name "$(cat)" -o long.weights
words_of attention 'i ride' -m long.weights --head 1 | grep -E 'long|broken|words|cut'
for picture in 'position --size 400x200' 'position --size 200x400' 'position --kind waves --dims 0,1 -n 1' 'position --kind distance -n 1' 'position --position index' 'position --position none' 'similarity a a'; do encode-plot $picture -f svg 2>log | grep -c '</svg>'; done
encode-plot position --size 100x72 -f svg

# A PDF has all pages.
encode-plot steps 'I ride' -f svg
encode-plot steps 'I ride' -f pdf | python3 -B $root/tests/tools/plot/pdf_objects.py | grep -a -oE '/Count [0-9]+'

# A script of the user's has the table, the variables and common.gp, and may load the picture's own.
printf '%s\n' "load folder.'/common.gp'" 'eval open_page' "set title 'OWN '.title" 'plot data index table[1] matrix every 1:1:1:1 using ($1-1):($2-1):3 with image' >own.gp
encode-plot attention 'I ride' --head 1 --script own.gp -f svg | grep -oE '>OWN [^<]{9}'
printf '%s\n' 'title = "Mine"; width = 5; height = 4; colors[1] = "viridis"' 'load folder."/maps.gp"' >set.gp
words_of layers 'i ride' --script set.gp | head -n 2; encode-plot layers 'i ride' --script set.gp -f svg | grep -oE 'width="[0-9]+" height="[0-9]+"'
for script in set.gp $root/tools/study/plot/maps.gp; do encode-plot attention 'i ride' --head 1 --script $script -f svg | grep -ciE '#?440154|rgb\( *68, *1, *84\)'; done
encode-plot layers 'I ride' --script none.gp -f svg 2>&1 | sed 's/line [0-9]*/line N/'
encode-plot layers 'I ride' --script own.gp -o own.gp -f svg
cp $root/tools/study/plot/maps.gp "it's.gp"; encode-plot layers 'I ride' --script "it's.gp" -o own.png && head -c 4 own.png | tail -c 3

# Files, and outputs that fail.
encode-plot attention 'I ride' -f svg >b.svg; encode-plot attention 'I ride' -f svg -o b.data && cmp b.svg b.data && echo the same
for format in png svg pdf; do encode-plot position -f $format -o /dev/full || echo exit code $?; done
encode-plot attention '' -o t.png; encode-plot attention -m plain.weights I -o t.png && test -s t.png && echo drawn
export many="$(yes i ride bike dog cat | head -n 10 | xargs)"
encode-plot attention -m plain.weights "$many" -o t.png && encode-plot words -m plain.weights "$many" -o t.svg && encode-plot layers -m plain.weights "$many" -o t.pdf

# Characters that no picture holds, or that no font has.
encode-plot attention "$(printf 'I \357\277\276 ride')" -f svg | grep -c "$(printf '\357\277\276')"
encode-plot similarity '5% %d %%' dog -f svg | grep -oE '>5%[^<]*<' | uniq
encode-plot similarity 'a]]>b' dog -f svg | grep -o '>a[^<]*<' | uniq
mkdir fonts; fonts() { printf '#!/bin/sh\n%s\n' "$1" >fonts/fc-list; chmod +x fonts/fc-list; PATH=$PWD/fonts:$PATH encode-plot similarity '桜' dog -o box.png; }
fonts 'exit 1'; fonts :; fonts 'echo 20-ffffffff'
fonts 'echo 20-7e'
fonts 'echo 20-7e 25a1'
