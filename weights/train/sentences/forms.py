"""Forms of statements of the same sense (order.py says what stands in them).

Those after "!" are kept out of the training."""

# Of each kind its forms.
FORMS = {
    "passive": """{a} {did} {b};{b} was {done} by {a};{b} got {done} by {a};by {a} {b} was {done};
        {b} has been {done} by {a};{a} has {done} {b};{a} had {done} {b};{b} was the one {done} by {a};
        {a} is known to have {done} {b};{b} , we hear , was {done} by {a};we saw that {a} {did} {b};
        it is {b} that got {done} by {a};{a} really {did} {b};yes , {b} was {done} by {a};
        !{b} had been {done} by {a};!someone {did} {b} , and it was {a}""",
    "cleft": """{a} {did} {b};{b} was {done} by {a};it was {a} who {did} {b};it was {b} who was {done} by {a};
        the one who {did} {b} was {a};the one who was {done} by {a} was {b};{a} is the one who {did} {b};
        it was by {a} that {b} was {done};the one whom {a} {did} is {b};what {a} did was {do} {b};
        {b} is the one whom {a} {did};there was {a} , who {did} {b};who {did} {b} ? {a};whom did {a} {do} ? {b};
        {a} was the one by whom {b} was {done};nobody else than {a} {did} {b};as for {b} , {a} {did} {b};
        {b} , {a} {did};the one {done} was {b} , and {a} {did} it;!it was {b} whom {a} {did};
        !{b} is the one {a} {did};!what happened to {b} is that {a} {did} {b}""",
    "question": """did {a} {do} {b} ?;was {b} {done} by {a} ?;is it true that {a} {did} {b} ?;has {a} {done} {b} ?;
        do you know whether {a} {did} {b} ?;is {a} the one who {did} {b} ?;was it {a} who {did} {b} ?;
        i wonder if {b} was {done} by {a};was it {b} whom {a} {did} ?;did {b} get {done} by {a} ?;
        did it happen that {a} {did} {b} ?;i ask whether {a} {did} {b};{a} {did} {b} , right ?;
        tell me if {a} {did} {b};can you say whether {b} was {done} by {a} ?;are you sure that {a} {did} {b} ?;
        could it be that {b} was {done} by {a} ?;!has {b} been {done} by {a} ?;
        !{b} was {done} by {a} , wasn't it ?""",
    "comparative": """{a} is {more} than {b};{b} is {less} than {a};{a} is not as {little} as {b};
        {b} is not as {much} as {a};
        compared with {b} , {a} is {more};compared with {a} , {b} is {less};{b} is less {much} than {a};
        of {a} and {b} , {a} is the {more} one;{b} is not so {much} as {a};
        {a} is the {more} one , {b} the {less} one;{a} is more {much} than {b};{a} , unlike {b} , is very {much};
        {a} is clearly {more} than {b};when it comes to being {much} , {a} is ahead of {b};
        nobody would call {b} {more} than {a};{b} is the {less} one of the two , {a} the {more};
        {a} is a lot {more} than {b};{a} is {much} , {b} is {little};{b} is {little} in comparison with {a};
        {b} is far from being as {much} as {a};between {a} and {b} , {b} is {less};
        {b} is outdone by {a} in being {much};{a} is {much} compared with {b};i find {a} {more} than {b};
        {more} than {b} is {a};{b} may be {much} , but {a} is {more};{b} is {less} , {a} is {more};
        {a} is {more} and {b} is {less};it is {a} that is {more} , not {b};the {more} of the two is {a};
        the {less} of the two is {b};!{a} beats {b} in being {much};!next to {a} , {b} looks {little};
        !if you compare the two , {a} is {more} and {b} is {less};!{b} is by no means as {much} as {a}""",
    "direction": """{t} goes from {p} to {q};{t} leaves {p} for {q};{t} to {q} starts in {p};
        {t} starts in {p} and ends in {q};from {p} {t} goes to {q};{t} comes to {q} from {p};
        {q} is reached from {p} by {t};{p} is where {t} comes from , and {q} is where it goes;
        starting in {p} , {t} arrives in {q};{t} travels to {q} out of {p};{t} is going to {q} , away from {p};
        {t} departs from {p} and arrives in {q};{t} makes its way from {p} to {q};
        {q} is the destination of {t} , {p} its starting point;{t} takes you from {p} to {q};
        coming from {p} , {t} reaches {q};out of {p} and into {q} goes {t};{t} moved from {p} to {q};
        {p} lies behind {t} , and {q} ahead;to {q} goes {t} from {p};{t} set out from {p} and got to {q};
        {t} left {p} and reached {q};{t} is no longer in {p} , it has gone to {q};
        {p} first , then {q} : that is the way of {t};{t} is bound for {q} and comes from {p};
        {t} was in {p} before , and is now in {q};{t} came from {p} and went to {q};
        {t} ends in {q} after it started in {p};!the way of {t} begins in {p} and ends in {q};
        !{t} runs between {p} , where it begins , and {q};!{q} is where {t} from {p} is heading;
        !having left {p} , {t} reached {q}""",
    "place": """{x} is {over} {y};{y} is {under} {x};{over} {y} is {x};{over} {y} there is {x};
        {under} {x} there is {y};
        there is {x} {over} {y};you can see {x} {over} {y};{x} can be found {over} {y};
        {y} can be seen {under} {x};what is {over} {y} is {x};where is {x} ? {over} {y};there is {y} {under} {x};
        look for {x} {over} {y};{x} is situated {over} {y};{x} stands {over} {y};{y} stands {under} {x};
        somebody put {x} {over} {y};they placed {x} {over} {y};if you look {over} {y} , you see {x};
        {y} lies {under} {x};{x} lies {over} {y};we found {y} {under} {x};{over} {y} we saw {x};
        {x} happens to be {over} {y};the place of {x} is {over} {y};{y} is what is {under} {x};
        {y} was put {under} {x};i see {y} {under} {x};where is {y} ? {under} {x};{x} was {over} {y};
        {y} was {under} {x};!what do you see {over} {y} ? {x};!{y} has {x} {over} it;!{over} {y} you will find {x};
        !the thing {under} {x} is {y}""",
    "clause": """{e} because {f};because {f} , {e};{f} , so {e};since {f} , {e};{f} , and that is why {e};
        the reason why {e} is that {f};{e} , since {f};{f} , therefore {e};that {f} is the cause of it that {e};
        as {f} , {e};{e} for the reason that {f};it was because {f} that {e};{f} . so {e};{f} . that is why {e};
        {f} , which is why {e};{f} , hence {e};seeing that {f} , {e};{e} , for {f};{f} , and so {e};
        the fact that {f} made it happen that {e};{f};consequently {e};{e};the reason was that {f};
        {f} led to this : {e};given that {f} , {e};it happened that {e} because {f};thus {e} , as {f};
        cause : {f} . effect : {e};this is why {e} : {f};!{f} . for this reason {e};!{f} , and as a result {e};
        !{e} , which was due to the fact that {f};!why did it happen that {e} ? because {f}""",
    "time": """{e} before {f};{f} after {e};first {e} , then {f};after {e} , {f};before {f} , {e};
        {e} , and then {f};
        {e} , and later {f};{f} , but before that {e};once {e} , {f};{e} and afterwards {f};{f} later than {e};
        {f} only after {e};{e};afterwards {f};{f} , but first {e};{f} . before that , {e};{e} . after that , {f};
        {e} first , and {f} second;{e} , followed by this : {f};
        the first thing was that {e} , the second that {f};at first {e} , in the end {f};later , after {e} , {f};
        {f} , after {e};earlier {e} , later {f};{e} , then {f};{e} and only then {f};
        {f} when {e} was already a fact;!{e} earlier than {f};!as soon as {e} , {f};!it was after {e} that {f}""",
    "pairing": """{a} {sang} and {b} {danced};{b} {danced} and {a} {sang};{a} {sang} while {b} {danced};
        while {b} {danced} , {a} {sang};{b} {danced} , but {a} {sang};{a} {sang} , whereas {b} {danced};
        {b} {danced} as {a} {sang};the one who {sang} was {a} , and {b} {danced};
        it was {a} who {sang} , and {b} who {danced};{a} {sang};{b} {danced};
        {a} was the one who {sang} , {b} the one who {danced};while {a} {sang} , {b} {danced};
        {a} {sang} . {b} {danced} .;we saw how {a} {sang} and how {b} {danced};
        {b} {danced} at the time when {a} {sang};the one who {danced} was {b} , the one who {sang} was {a};
        i know that {b} {danced} and that {a} {sang};{a} {sang} , and as for {b} , {b} {danced};
        {b} {danced} , {a} {sang};both did something : {b} {danced} , and {a} {sang};
        although {b} {danced} , {a} {sang};!of the two , {a} {sang} and {b} {danced};
        !{a} and {b} were there : {a} {sang} , {b} {danced};!{sang} : {a} . {danced} : {b}""",
    "attribute": """the {one} {m} and the {other} {n};the {other} {n} and the {one} {m};
        the {m} is {one} and the {n} is {other};the {n} is {other} and the {m} is {one};
        a {m} that is {one} and a {n} that is {other};the {one} {m} is near the {other} {n};
        there are a {one} {m} and a {other} {n};the {n} , which is {other} , and the {m} , which is {one};
        {one} is the {m} , {other} the {n};{one} {m} , {other} {n};
        the {m} was {one} , whereas the {n} was {other};i have a {one} {m} and a {other} {n};
        beside the {other} {n} is the {one} {m};the {one} one is the {m} , the {other} one is the {n};
        they bought a {other} {n} and a {one} {m};the {m} looked {one} and the {n} looked {other};
        what is {one} is the {m} , what is {other} is the {n};a {one} {m} with a {other} {n};
        the {other} {n} stands next to the {one} {m};we have a {m} , it is {one} , and a {n} , it is {other};
        how {one} the {m} is , and how {other} the {n};not the {n} but the {m} is {one} , and the {n} is {other};
        a {m} , {one} , and a {n} , {other};{other} {n} and {one} {m};
        the {n} seems {other} and the {m} seems {one};!do you see the {one} {m} and the {other} {n} ?;
        !a {n} , a {other} one , and a {m} , a {one} one;!we saw that the {m} was {one} , the {n} {other}""",
    "number": """{six} {ms} and {two} {ns};{two} {ns} and {six} {ms};there are {six} {ms} and {two} {ns};
        there are more {ms} than {ns};there are fewer {ns} than {ms};the {ms} are {six} and the {ns} are {two};
        the {ns} are {two} , the {ms} are {six};we counted {two} {ns} and {six} {ms};
        not as many {ns} as {ms} are there;the {ms} outnumber the {ns};{ms} : {six} , {ns} : {two};
        we have {six} {ms} but only {two} {ns};of {ms} there are {six} , of {ns} {two};
        i saw {six} {ms} and {two} {ns};{two} {ns} stood beside {six} {ms};
        besides {two} {ns} there were {six} {ms};there are {six} {ms} , but {two} {ns};
        {ms} are more numerous than {ns};{ns} are outnumbered by {ms};most of them are {ms} , a few are {ns};
        the group has {six} {ms} and {two} {ns};they bought {two} {ns} and {six} {ms};
        {ms} are in the majority , {ns} in the minority;there are {two} {ns} for {six} {ms};many {ms} , few {ns};
        there were fewer {ns} , {two} , and more {ms} , {six};it is {ms} that there are more of , not {ns};
        !{two} is how many {ns} there are , and {six} how many {ms};!{six} of them are {ms} , {two} are {ns};
        !the number of {ms} is larger than that of {ns}""",
    "quantifier": """all {ms} are {ns};every {m} is a {n};each {m} is a {n};only {ns} are {ms};
        if it is a {m} , it is a {n};
        there is no {m} that is not a {n};nothing but a {n} is a {m};any {m} is a {n};{ms} are always {ns};
        {ms} are a kind of {ns};a {m} is a kind of {n};{ms} are {ns} without exception;
        being a {m} means being a {n};no {m} is anything but a {n};you cannot be a {m} without being a {n};
        the {ms} are among the {ns};not all {ns} are {ms} , but all {ms} are {ns};to be a {m} , one must be a {n};
        a {m} is always a {n};all of the {ms} belong to the {ns};{ms} are one sort of {ns};
        if something is not a {n} , it is not a {m};everything that is a {m} is a {n};
        each of the {ms} is one of the {ns};{ns} are all the {ms} , and more;whoever sees a {m} sees a {n};
        !as a {m} , it must be a {n};among the {ns} are all the {ms};!{ms} , all of them , are {ns};
        !{ns} include all {ms};!whatever is a {m} is a {n} too""",
    "giving": """{a} {gave} {b} {it};{a} {gave} {it} to {b};{b} {got} {it} from {a};{it} was {given} to {b} by {a};
        it was {a} who {gave} {b} {it};{b} was {given} {it} by {a};{b} is the one who {got} {it} from {a};
        from {a} {b} {got} {it};{it} is what {a} {gave} to {b};it was from {a} that {b} {got} {it};
        {a} was the one who {gave} {it} to {b};{it} came to {b} from {a};what {b} {got} from {a} is {it};
        {b} {got} {it} , and it was {a} who {gave} it;to {b} {a} {gave} {it};the one who {gave} {b} {it} is {a};
        {b} has {it} from {a};it was to {b} that {a} {gave} {it};did you know that {a} {gave} {it} to {b} ?;
        !{it} that {b} has came from {a};!{it} went from {a} to {b};!thanks to {a} , {b} {got} {it}""",
    "converse": """{a} {owns} {b};{b} {belongs} {a};it is {a} that {owns} {b};it is {b} that {belongs} {a};
        the one that {owns} {b} is {a};the one that {belongs} {a} is {b};what {belongs} {a} is {b};
        {a} {owns} {b} , i think;it seems that {b} {belongs} {a};{b} is the one that {belongs} {a};
        that {a} {owns} {b} is true;we know that {a} {owns} {b};{b} , they say , {belongs} {a};
        of the two it is {a} that {owns} {b};{a} , it is said , {owns} {b};as for {b} , it {belongs} {a};
        !{a} is what {owns} {b};!we know that {b} {belongs} {a}""",
    "saying": """{a} said that {b} {sang};according to {a} , {b} {sang};{b} {sang} , said {a};
        {a} told us that {b} {sang};
        it was {a} who said that {b} {sang};we know from {a} that {b} {sang};what {a} said is that {b} {sang};
        {a} said : {b} {sang};{b} {sang} . so said {a};{a} let us know that {b} {sang};{a} claims that {b} {sang};
        we heard from {a} that {b} {sang};that {b} {sang} is what {a} said;{a} reported that {b} {sang};
        in the words of {a} , {b} {sang};{b} {sang} , {a} told us;{a} thinks that {b} {sang};
        in the opinion of {a} , {b} {sang};!if you ask {a} , {b} {sang};!we were told by {a} that {b} {sang};
        !{b} {sang} , as {a} put it""",
}
# More kinds, which order.tsv does not have.
MORE = {
    "manner": """{a} {runs} {faster} than {b};{b} {runs} {slower} than {a};{b} does not {run} as {fast} as {a};
        compared with {b} , {a} {runs} {faster};of the two , {a} {runs} {faster};
        it is {a} that {runs} {faster} , not {b};{b} , unlike {a} , {runs} rather {slow};
        {a} {runs} {fast} , {b} {runs} {slow};nobody says that {b} {runs} {faster} than {a};
        the one that {runs} {faster} is {a} , not {b};!{b} cannot {run} so {fast} as {a} can""",
    "bound": """the {one} {m} {did} the {other} {n};the {other} {n} was {done} by the {one} {m};
        the {m} that {did} the {other} {n} was {one};a {m} , {one} , {did} a {n} , {other};
        the {m} , which was {one} , {did} the {n} , which was {other};
        it was the {one} {m} that {did} the {other} {n};the {other} {n} got {done} by a {one} {m};
        a {one} {m} {did} a {other} {n};the {n} that the {one} {m} {did} was {other};
        !what the {one} {m} {did} was the {other} {n}""",
    "scope": """{a} {sang} , but not {b};{a} {sang} , {b} did not;only {a} {sang} , not {b};unlike {b} , {a} {sang};
        {a} {sang} and {b} did not;{b} did not , but {a} {sang};instead of {b} , {a} {sang};
        {a} , and not {b} , {sang};it was {a} , not {b} , who {sang};of {a} and {b} only {a} {sang};
        while {b} did not , {a} {sang};{b} was not the one who {sang} , {a} was;!{a} {sang} , in contrast to {b}""",
}
# Kinds of two senses of the same words: forms of the one, and of the other.
CONTRASTS = {
    "only": ("""only {a} {did} {b};nobody but {a} {did} {b};{a} alone {did} {b};{a} was the only one who {did} {b};
        {b} was {done} by {a} only;{b} was {done} by nobody else than {a};no one except {a} {did} {b};
        it was only {a} who {did} {b}""",
        """{a} {did} only {b};{a} {did} nobody but {b};the only one whom {a} {did} was {b};
        {a} {did} {b} and nobody else;{a} {did} no one except {b};only {b} was {done} by {a};
        it was only {b} whom {a} {did};nobody else than {b} was {done} by {a}"""),
    "all": ("""not all {ms} are {one};some {ms} are not {one};there are {ms} that are not {one};
        only some {ms} are {one};
        a few {ms} are not {one};it is not true that all {ms} are {one};
        some of the {ms} are {one} , others are not;not every {m} is {one};{ms} are not always {one}""",
        """no {m} is {one};none of the {ms} are {one};there is no {m} that is {one};not a single {m} is {one};
        {ms} are never {one};all {ms} are something else than {one};not one of the {ms} is {one};
        no {ms} are {one}"""),
    "denial": ("""{a} said that {b} was not {one};{a} denied that {b} was {one};
        according to {a} , {b} was not {one};
        {b} was not {one} , said {a};{a} told us that {b} was not {one};{a} said it was false that {b} was {one}""",
        """{a} did not say that {b} was {one};{a} never said that {b} was {one};
        {a} said nothing about {b} being {one};that {b} was {one} is not what {a} said;
        we did not hear from {a} that {b} was {one};nor did {a} say that {b} was {one}"""),
    "relative": ("""the {m} that {did} the {n} {sang};the {m} , which had {done} the {n} , {sang};
        the {m} {did} the {n} and {sang};it was the {m} that {sang} , and it {did} the {n};
        the {n} was {done} by the {m} that {sang};having {done} the {n} , the {m} {sang};
        the {m} {sang} , and it was the one that {did} the {n}""",
        """the {m} {did} the {n} that {sang};the {n} that {sang} was {done} by the {m};
        the {n} {sang} , and the {m} had {done} it;the {n} , which the {m} had {done} , {sang};
        the {n} that the {m} {did} {sang};{done} by the {m} , the {n} {sang};
        it was the {n} that {sang} , and the {m} {did} it"""),
}


def listed(forms):
    return [" ".join(f.split()) for f in forms.split(";")]


FORMS = {kind: listed(forms) for kind, forms in FORMS.items()}
MORE = {kind: listed(forms) for kind, forms in MORE.items()}
CONTRASTS = {kind: tuple(map(listed, both)) for kind, both in CONTRASTS.items()}
