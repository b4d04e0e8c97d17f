"""How English pages put things."""

from __future__ import annotations

from generators.pages.banks.wording_bank import (
    Bank,
    ContinuedBank,
    Directory,
    Disambiguation,
    Encyclopedia,
    Forum,
    News,
    Official,
    Sentences,
    Statistics,
)

_PLAIN: Sentences = {
    "count": (
        "{subject} has {value} {label}.",
        "{subject} has a total of {value} {label}.",
        "Records credit {subject} with {value} {label}.",
        "There is a record of {value} {label}.",
    ),
    "amount": (
        "{subject} has {a_label} of {value}.",
        "The {label} of {subject} {be} {value}.",
        "The {kind}'s {label} {be} {value}.",
        "The {label} {be} put at {value}.",
        "Records give the {label} as {value}.",
    ),
    "year": (
        "The {kind}'s {label} {be} {value}.",
        "The {label} of {subject} {be} {value}.",
        "The {label} {be} given as {value}.",
        "Most sources name {value} as the {label}.",
    ),
    "date": (
        "The {kind}'s {label} {be} {value}.",
        "The {label} of {subject} {be} {value}.",
        "Registers give {value} as the {label}.",
    ),
    "event": (
        "{subject} was {label} in {value}.",
        "Sources agree that {subject} was {label} in {value}.",
        "It was in {value} that {subject} was {label}.",
    ),
    "event_date": (
        "{subject} was {label} on {value}.",
        "It was on {value} that {subject} was {label}.",
        "Registers say that {subject} was {label} on {value}.",
    ),
    "preposition": (
        "{subject} is on record {label} {value}.",
        "The records list {subject} {label} {value}.",
    ),
    "text": (
        "The {label} of {subject} {be} {value}.",
        "The {kind}'s {label} {be} {value}.",
        "Records give the {label} as {value}.",
        "For {label}, the registers say {value}.",
    ),
    "name": (
        "{value} is the {label} of {subject}.",
        "The {label} of {subject} is {value}.",
        "The {kind}'s {label} is {value}.",
        "Registers give {value} as the {label}.",
    ),
    "boolean": (
        "Asked for {label}, the records say {value}.",
        "Under {label}, the entry for {subject} reads {value}.",
    ),
}
"""How an encyclopedia, a newspaper or an office puts it."""
_CASUAL: Sentences = {
    "count": (
        "Pretty sure {subject} has {value} {label}.",
        "{value} {label}, last I looked.",
        "I make it {value} {label}.",
    ),
    "amount": (
        "The {label} {be} {value}, if that helps.",
        "{value} is what I have for the {label}.",
        "As far as I know the {label} {be} {value}.",
    ),
    "year": (
        "The {label} {be} {value}, I looked it up.",
        "For the {label} I have {value}.",
        "As far as I know the {label} {be} {value}.",
    ),
    "date": (
        "The {label} {be} {value}, I looked it up.",
        "For the {label} I have {value}.",
    ),
    "event": (
        "Was {label} in {value}, if memory serves.",
        "{subject} was {label} in {value}, no doubt about it.",
    ),
    "event_date": (
        "Was {label} on {value}, if memory serves.",
        "{subject} was {label} on {value}, no doubt about it.",
    ),
    "preposition": ("That is {label} {value}, for the record.", "On record {label} {value}, it says here."),
    "text": (
        "The {label} {be} {value}, everybody here knows that.",
        "For {label} it says {value}.",
        "As far as I know the {label} {be} {value}.",
    ),
    "name": (
        "The {label} is {value}, everybody here knows that.",
        "{value} is the {label}, as far as I know.",
        "Well, the {label} is {value}.",
    ),
    "boolean": ("For {label} it says {value}.", "On {label}: {value}, according to what I have."),
}
"""How people put it among themselves."""
_ENCYCLOPEDIA = Encyclopedia(
    leads=(
        "**{name}** is {a_label} whose {reference} is {value}.",
        "**{name}** is {a_label}; the {reference} is {value}.",
        "**{name}** is {a_label} with {value} as {reference}.",
        "**{name}**, {a_label}, has {value} as {reference}.",
    ),
    bare_leads=(
        "**{name}** is {a_label}.",
        "**{name}** is {a_label} with an entry of its own in this encyclopedia.",
        "**{name}** is one of the {plural} described in this encyclopedia.",
    ),
    other_names=(
        "The {kind} is known as {also} as well.",
        "The {kind}, also known as {also}, is entered here under the usual name.",
        "Readers may know the {kind} as {also}, too.",
    ),
    original=" ({name})",
    headings=("Overview", "Profile", "Background", "Description", "Details"),
    openings=(
        "The following is drawn from public registers and from what readers have sent in.",
        "Several sources treat the subject, and they agree on the main points.",
        "This section gathers what is known from printed sources.",
        "What follows has been checked against the registers.",
        "The main points can be told in a few lines.",
        "Older descriptions are brief; newer ones add some detail.",
    ),
    closings=(
        "Further sources are welcome on the discussion page.",
        "Readers who know more are invited to add to this article.",
        "",
        "",
    ),
    sources=(
        "- Public registers, current edition\n- Correspondence with readers",
        "- Register extracts, on file with the editors\n- Own enquiries",
        "- Printed handbooks, several editions\n- Notes left by earlier editors",
        "- Local newspapers\n- Public registers",
        "- Answers to a questionnaire of the editors",
    ),
    footers=(
        "*This article was last edited on {date}.*",
        "*Last revised {date}. Text may be reused under the terms of {site}.*",
        "*{site}, version of {date}.*",
    ),
    see_also="See also",
    sources_heading="Sources",
)
_OFFICIAL = Official(
    welcomes=(
        "Welcome to the official site of **{name}**.",
        "This is the home of **{name}** on the web.",
        "**{name}** welcomes you to its own pages.",
        "You have reached the official pages of **{name}**.",
    ),
    missions=(
        "We are glad that you are here, and we hope that you will find what you came for.",
        "Everything on these pages is kept up by a small team that cares about getting it right.",
        "Our doors are open to members, neighbours and guests alike.",
        "We believe in steady work, good company and honest accounts.",
        "What we do, we do for the people around us, and with them.",
        "On these pages you will find who we are and how to reach us.",
    ),
    about=("About us", "Who we are", "About", "Our story"),
    facts=("Key facts", "At a glance", "In brief", "Facts and figures"),
    contacts=(
        "Write to our office through the form on this site; we answer every letter.",
        "Questions, praise and complaints reach us through the form on this site.",
        "Our office is open on working days. Please ring the bell at the side door.",
        "For enquiries from the press, please use the form and mark your message accordingly.",
        "Volunteers are always welcome. Leave a note at the office, and someone will call you back.",
    ),
    footers=(
        "*Page revised on {date}.*",
        "*Last update: {date}. All rights reserved.*",
        "*Responsible for these pages: the office of {name}. As of {date}.*",
    ),
    contact="Contact",
    fact="- **{label}:** {value}\n",
    kind="- **Kind:** {label}\n\n",
    title="{name} – official site",
)
_NEWS = News(
    headlines=(
        "{name} in the spotlight",
        "A closer look at {name}",
        "{name}: what readers should know",
        "Why people are talking about {name}",
        "Portrait: {name}",
        "{name} makes the rounds again",
        "Our visit: {name}",
        "Reader's choice: {name}",
    ),
    desks=("news desk", "regional desk", "weekend desk", "culture desk", "morning desk", "evening desk"),
    leads=(
        "{label} **{name}** has been the talk of many a kitchen table of late.",
        "Few subjects have filled our letter box like {name}.",
        "This week our series on {plural} comes to {name}.",
        "Readers have asked for it, and here it is: an item on {name}.",
        "Anyone who follows the {plural} of this country will have come across {name}.",
        "It has been a lively season for {name}.",
    ),
    say=(
        "For those new to the matter: it is worth a second look.",
        "A look at the registers helps to put things into perspective.",
        "We have been through our archive.",
        "We have checked what can be checked.",
        "Some readers will have only just tuned in.",
    ),
    quotes=(
        "We take things one step after the other, and so far that has served us well",
        "People see the result; they rarely see the hours behind it",
        "I have heard many stories about this, and some of them are even true",
        "It is a matter of patience, and of friends who do not give up",
        "You should have seen the faces when the word got round",
        "There is still plenty to do, and I would not want it any other way",
        "Nobody here is in it for the glory, whatever you may have read",
        "Ask me again after the harvest, and I may have a better answer",
    ),
    speakers=(
        "said someone close to the matter",
        "said a regular who wished to remain unnamed",
        "a long-standing observer told this paper",
        "said a voice from the neighbourhood",
        "an old hand remarked with a smile",
    ),
    closings=(
        "We will keep readers posted.",
        "More on this in one of our next issues.",
        "Letters to the editor are welcome, as always.",
        "Whether that will change, the coming months will tell.",
        "The conversation is sure to go on.",
    ),
    byline="*{site}, {date} – from our {desk}*\n\n",
    label="The {label}",
    quoted="> “{quote},” {speaker}.\n\n",
)
_DIRECTORY = Directory(
    openings=(
        "This page lists {plural} in alphabetical order.",
        "{site}: {plural} from first to last, in alphabetical order.",
        "The following {plural} are on file. New entries are added as they come in.",
        "An alphabetical list. Select a name to read more.",
        "Below are {plural} in the order of their names.",
    ),
    footers=(
        "*Checked on {date}.*",
        "*{site}, as of {date}. Corrections are welcome.*",
        "*This list was last checked on {date}. It may be incomplete.*",
    ),
    bullets=("- **{name}**", "- {name}", "* {name}"),
    separators=(" – ", " · ", ", ", " / "),
    fact="{separator}{label}: {value}",
)
_DISAMBIGUATION = Disambiguation(
    openings=(
        "**{name}** may refer to:",
        "**{name}** may be any of these {plural}:",
        "The name **{name}** is borne by more than one of the {plural}:",
    ),
    footers=(
        "*This page leads on to articles on {plural} of the same name. Last edited on {date}.*",
        "*If a link led you here, you may wish to change it. Version of {date}.*",
    ),
    line="- {name}, {a_label}",
    fact=", {label}: {value}",
)
_STATISTICS = Statistics(
    openings=(
        "The table covers {plural} that have reported.",
        "{site}: entries as received from the {plural} themselves.",
        "Entries are listed by name.",
        "This table allows {plural} to be compared.",
    ),
    grouped=(
        "The table is ordered by {column}. A value stands in the first row of its group, and holds for those below.",
        "{site}: entries by {column}; what is not repeated is as above.",
        "This table puts {plural} together by {column}. Read an open cell as the one above it.",
    ),
    notes=(
        "*Compiled by {site}, {date}. A dash marks what is not known.*",
        "*Source: {site}. Table last revised on {date}.*",
        "*All entries as reported by {date}. {site}.*",
    ),
    unit=" ({unit})",
)
_MOODS = (
    "quiet", "salty", "grumpy", "merry", "lazy", "nimble", "dusty", "lucky", "sleepy", "witty",
    "rusty", "breezy", "gentle", "hasty", "mellow", "plucky", "sturdy", "humble", "stormy", "curious",
)  # fmt: skip
_CREATURES = (
    "heron", "otter", "badger", "magpie", "lantern", "kettle", "anchor", "pebble", "thistle", "walnut",
    "puffin", "teapot", "cricket", "marmot", "bramble", "ferret", "compass", "tulip", "barnacle", "sparrow",
)  # fmt: skip
_FORUM = Forum(
    titles=(
        "Who knows {name}?",
        "{name} – the thread",
        "Question about {name}",
        "Let's talk about {name}",
        "{name}, your impressions?",
        "Looking into {name}, help wanted",
    ),
    questions=(
        "Hello all, I keep running into **{name}** and would like to hear from people who know more than I do.",
        "A friend and I have a bet going about **{name}**, and I would rather not lose it. What do you know?",
        "I am writing a little something about **{name}**. Anything you can tell me helps!",
        "First post here, be gentle. What is there to know about **{name}**?",
        "Long-time reader, first-time poster. Does anybody follow **{name}** closely?",
    ),
    remarks=(
        "Good question.",
        "Others will know better, but here goes.",
        "We had this before, use the search!",
        "Oh, I have been waiting for somebody to ask.",
        "Not my field, to be honest.",
        "Happy to help.",
        "Don't quote me on this.",
        "My neighbour keeps going on about it.",
        "Welcome! Somebody asks every other month.",
        "I was about to write the same.",
    ),
    asides=(
        "Cheers!",
        "See you around.",
        "Anyway, back to work for me.",
        "Lovely weather by the way.",
        "Say hello to the others.",
        "",
        "",
    ),
    moods=_MOODS,
    creatures=_CREATURES,
    user="{mood}_{creature}",
    post="---\n\n**{user}** wrote on {date}:\n\n",
)
_CONTINUED = ContinuedBank(
    openings=(
        "The page on {name} goes on here.",
        "Further entries on {name}, in the order of the first part.",
        "What the page before this one has no room for. The subject is {name}.",
        "This part holds the entries on {name} that come next.",
        "More on {name}.",
    ),
    nothing=("No entries on {name} for this part yet.", "Nothing on {name} has been entered here so far."),
    footers=(
        "*This part was last edited on {date}.*",
        "*{site}, part as of {date}.*",
        "*Last revised {date}.*",
    ),
)

ENGLISH = Bank(
    plain=_PLAIN,
    casual=_CASUAL,
    encyclopedia=_ENCYCLOPEDIA,
    official=_OFFICIAL,
    news=_NEWS,
    directory=_DIRECTORY,
    disambiguation=_DISAMBIGUATION,
    statistics=_STATISTICS,
    forum=_FORUM,
    continued=_CONTINUED,
    space=" ",
    page=" (page {number} of {of})",
)
