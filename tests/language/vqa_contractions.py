"""The contractions that the official evaluation of VQA v2 mends, each spelling by itself."""

from __future__ import annotations

_PAIRS = """
aint:ain't arent:aren't cant:can't couldve:could've couldnt:couldn't couldn'tve:couldn't've couldnt've:couldn't've
didnt:didn't doesnt:doesn't dont:don't hadnt:hadn't hadnt've:hadn't've hadn'tve:hadn't've hasnt:hasn't havent:haven't
hed:he'd hed've:he'd've he'dve:he'd've hes:he's howd:how'd howll:how'll hows:how's isnt:isn't itd:it'd itd've:it'd've
it'dve:it'd've itll:it'll maam:ma'am mightnt:mightn't mightnt've:mightn't've mightn'tve:mightn't've mightve:might've
mustnt:mustn't mustve:must've neednt:needn't notve:not've oclock:o'clock oughtnt:oughtn't ow's'at:'ow's'at
'ows'at:'ow's'at 'ow'sat:'ow's'at shant:shan't shed've:she'd've she'dve:she'd've shouldve:should've shouldnt:shouldn't
shouldnt've:shouldn't've shouldn'tve:shouldn't've somebody'd:somebodyd somebodyd've:somebody'd've
somebody'dve:somebody'd've somebodyll:somebody'll somebodys:somebody's someoned:someone'd someoned've:someone'd've
someone'dve:someone'd've someonell:someone'll someones:someone's somethingd:something'd somethingd've:something'd've
something'dve:something'd've somethingll:something'll thats:that's thered:there'd thered've:there'd've
there'dve:there'd've therere:there're theres:there's theyd:they'd theyd've:they'd've they'dve:they'd've theyll:they'll
theyre:they're theyve:they've twas:'twas wasnt:wasn't wed've:we'd've we'dve:we'd've weve:we've werent:weren't
whatll:what'll whatre:what're whats:what's whatve:what've whens:when's whered:where'd wheres:where's whereve:where've
whod:who'd whod've:who'd've who'dve:who'd've wholl:who'll whos:who's whove:who've whyll:why'll whyre:why're whys:why's
wont:won't wouldve:would've wouldnt:wouldn't wouldnt've:wouldn't've wouldn'tve:wouldn't've yall:y'all yall'll:y'all'll
y'allll:y'all'll yall'd've:y'all'd've y'alld've:y'all'd've y'all'dve:y'all'd've youd:you'd youd've:you'd've
you'dve:you'd've youll:you'll youre:you're youve:you've
"""

MENDED: dict[str, str] = {wrong: right for wrong, _, right in (pair.partition(":") for pair in _PAIRS.split())}
"""Without the four spellings with a capital, which are looked for in lower case, and two that are right already."""
