"""The table in a headless Chromium, with the real service and real bots."""

from __future__ import annotations

import json

import pytest

from service.rules.ruleset import AnyRuleset, rulesets

from .browser import PLACED
from .driving import ROOT, TABLE, Visitor

LONG = pytest.mark.long
RULESETS = pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda ruleset: ruleset.id)
FIRST = next(iter(rulesets().values()))
NASTY = '<img src=x onerror="alert(1)">{{7*7}}'
ENOUGH = 4
"""Moves that are made through the page where that is not the whole game."""
FEW = 8
"""Tiles of a game that is over soon."""
WIDTH = 390


REFUSED = "document.querySelector('.problem[data-rule]:not([data-rule=\"\"])')"
WONDERING = (
    f"[...{ROOT}.querySelectorAll('[data-x], [data-city], [data-place]')]"
    ".find((place) => !place.closest('.target') && !place.querySelector('.target'))"
)


def click_in_vain(visitor: Visitor) -> None:
    """Clicks where nothing may be done, and waits for the rule."""
    visitor.page.run(
        f"{WONDERING}.dispatchEvent(new MouseEvent('click', {{bubbles: true, composed: true}}))"
    )
    visitor.page.until(REFUSED)


def let_a_bot_play(visitor: Visitor) -> None:
    """Gives the seat to a bot with the page's own button, and agrees that it is meant."""
    visitor.page.run("document.querySelector('.more').open = true")
    visitor.page.click("document.querySelector('.more [data-type=give_to_bot]')")
    visitor.page.until("document.querySelector('dialog.confirm')")
    visitor.page.click("document.querySelector('dialog.confirm .danger')")
    visitor.page.until("document.querySelector('#log [data-type=seat_given_to_bot]')")


def check_result(visitor: Visitor, game: str) -> None:
    """What the page shows at the end is what the API says."""
    page = visitor.page
    page.until(f"{TABLE}.dataset.status === 'finished'", 150)
    page.until("document.querySelector('#log [data-type=final_scored]')")
    with visitor.asks() as client:
        score = client.get(f"/v1/games/{game}/score").json()
    totals = [str(seat["total"]) for seat in score["seats"]]
    shown = "[...document.querySelectorAll('.breakdown tfoot td')].map((cell) => cell.textContent)"
    assert page.run(shown) == totals
    sums = "[...document.querySelectorAll('.chart .sum')].map((text) => text.textContent)"
    assert page.run(sums) == totals
    assert page.run("document.querySelector('[data-type=rematch]') !== null")


def test_a_small_game_is_played_through_the_page(visitor: Visitor) -> None:
    """Against a bot, to its end; the page is loaded anew in the middle, then an illegal click is

    refused with its rule.
    """
    game = visitor.create(FIRST, few=FEW)
    count = 0
    while visitor.due():
        if count == 2:
            visitor.page.reload()
            assert visitor.due()
            click_in_vain(visitor)
        visitor.move()
        count += 1
    assert count > 2
    check_result(visitor, game)


@LONG
@RULESETS
def test_a_game_is_played_through_the_page(visitor: Visitor, ruleset: AnyRuleset) -> None:
    """Against a bot; the page is loaded anew in the middle; then a bot takes over."""
    game = visitor.create(ruleset)
    for _ in range(ENOUGH):
        assert visitor.due()
        visitor.move()
    assert visitor.due()
    told = int(visitor.state()["version"])
    visitor.page.reload()
    assert visitor.due()
    assert int(visitor.state()["version"]) >= told
    visitor.page.until(f"document.querySelectorAll('#log li').length >= {min(told, 100)}")
    visitor.move()
    let_a_bot_play(visitor)
    check_result(visitor, game)


@LONG
@RULESETS
def test_a_whole_game_is_played_through_the_page(visitor: Visitor, ruleset: AnyRuleset) -> None:
    game = visitor.create(ruleset, second="easy")
    count = 0
    while visitor.due():
        visitor.move()
        count += 1
        if count == ENOUGH:
            visitor.page.reload()
    assert count > ENOUGH
    check_result(visitor, game)


@LONG
@RULESETS
def test_moves_are_made_in_the_picture(visitor: Visitor, ruleset: AnyRuleset) -> None:
    """By mouse and by keyboard; a place with several moves lets one be chosen."""
    visitor.create(ruleset)
    page = visitor.page
    while visitor.due() and page.run(f"{ROOT}.querySelector('.target') === null"):
        visitor.move()
    page.run("for (const row of document.querySelectorAll('#moves .move')) row.focus()")
    page.run("document.activeElement.blur()")
    assert page.run(f"{ROOT}.querySelectorAll('.aimed').length") == 0
    aimed = (
        "[...document.querySelectorAll('#moves li')].some((row) => {"
        " row.dispatchEvent(new Event('pointerenter'));"
        f" return {ROOT}.querySelector('.aimed') !== null; }})"
    )
    assert page.run(aimed)
    for by_mouse in (True, False):
        target = f"{ROOT}.querySelector('.target')"
        while visitor.due() and page.run(f"{target} === null"):
            visitor.move()
        before = int(visitor.state()["version"])
        assert page.run(f"{target}.getAttribute('aria-label').length > 3")
        if by_mouse:
            page.click(f"({target}.querySelector('rect, circle, use, path') ?? {target})")
        else:
            page.run(f"{target}.focus()")
            page.press("Enter", 13)
        page.until(f"document.querySelector('#choose') || {TABLE}.dataset.version > {before}")
        if page.run("document.querySelector('#choose') !== null"):
            page.click("document.querySelector('#choose .move')")
        page.until(f"{TABLE}.dataset.version > {before}")
        assert visitor.due()
        assert visitor.says("#problem") == ""


@RULESETS
def test_what_is_not_legal_is_refused_with_its_rule(visitor: Visitor, ruleset: AnyRuleset) -> None:
    """A click where nothing may be done: the rule is shown, leads to its text, and nothing comes

    of it. Both seats are played here, so nobody else does anything either.
    """
    game = visitor.create(ruleset, second="here")
    page = visitor.page
    while visitor.due() and page.run(f"{WONDERING} === undefined"):
        visitor.move()
    click_in_vain(visitor)
    with visitor.asks() as client:
        version = client.get(f"/v1/games/{game}").json()["version"]
        rule = page.run(f"{REFUSED}.dataset.rule")
        href = page.run(f"{REFUSED}.querySelector('a').getAttribute('href')")
        path, _, anchor = href.partition("#")
        assert anchor == rule
        assert path == f"/docs/rules/{ruleset.id}?lang=en"
        assert f'id="{rule}"' in client.get(path).text
    assert str(version) == visitor.state()["version"]
    text = next(known.text for known in ruleset.rules if known.id == rule)
    assert text in visitor.says(".problem .rule")


def test_a_press_is_not_lost_when_something_happens(visitor: Visitor) -> None:
    """What is drawn anew between press and release of a button would swallow the click."""
    game = visitor.create(FIRST, second="here")
    page = visitor.page
    assert visitor.due()
    page.run("document.querySelector('.more').open = true")
    give = "document.querySelector('.more [data-type=give_to_bot]')"
    page.until(PLACED % give)
    x, y = page.run("window.placed")
    count = page.run("performance.getEntriesByType('resource').length")
    page.mouse("mousePressed", x, y)
    with visitor.asks() as client:
        moves = client.get(f"/v1/games/{game}/moves").json()["moves"]
        body = {"seat": moves[0]["seat"], "command": moves[0]["command"]}
        done = client.post(f"/v1/games/{game}/commands", json=body).json()
    page.until(f"performance.getEntriesByType('resource').length > {count}")
    page.mouse("mouseReleased", x, y)
    page.until("document.querySelector('dialog.confirm')")
    page.until(f"{TABLE}.dataset.version >= {done['version']}")
    page.until(f"document.querySelector('#log [data-version=\"{done['version']}\"]')")
    page.click("document.querySelector('dialog.confirm .quiet')")


def test_two_browsers_play_one_game(visitor: Visitor, friend: Visitor) -> None:
    """One is invited by a link, both see all at once, one takes back what the other agrees to."""
    game = visitor.create(FIRST, NASTY, "open")
    assert visitor.state()["status"] == "open"
    link = visitor.script("document.querySelector('.share input').value")
    assert link.startswith(f"{visitor.url}/#/g/{game}/claim/1/bc_")
    friend.open(link.removeprefix(f"{visitor.url}/"))
    friend.page.until("document.querySelector('#join')")
    friend.page.run("document.querySelector('#name').value = 'Béa'")
    friend.page.click("document.querySelector('#join')")
    friend.page.until(f"{TABLE}?.dataset.status === 'playing'")
    assert friend.script("location.hash") == f"#/g/{game}"
    visitor.page.until(f"{TABLE}.dataset.status === 'playing'")
    for one, other in ((visitor, friend), (visitor, friend)):
        if one.state()["moves"] == "0":
            one, other = other, one
        one.move()
        other.page.until(f"{TABLE}.dataset.version === '{one.state()['version']}'")
    acting = visitor if visitor.state()["moves"] != "0" else friend
    waiting = friend if acting is visitor else visitor
    version = int(acting.state()["version"])
    undo = "document.querySelector('.turn [data-type=undo]')"
    who = acting if acting.page.run(f"{undo} !== null") else waiting
    who.page.click(undo)
    who.page.until(f"{TABLE}.dataset.version > {version}")
    answering = waiting if who is acting else acting
    accept = "document.querySelector('.turn [data-type=accept_undo]')"
    undone = "document.querySelector('#log [data-type=undone]')"
    answering.page.until(f"{accept} || {undone}")
    if answering.page.run(f"{accept} !== null"):
        answering.page.click(accept)
    for each in (visitor, friend):
        each.page.until(undone)
        assert each.page.run("document.querySelectorAll('#log .undone').length > 0")
        assert NASTY in each.says("#log")
        assert NASTY in each.says("#score")
        assert not each.page.run("document.querySelector('main img') !== null")
    assert "Béa" in visitor.says("#score")


def test_a_page_that_is_left_holds_no_connection(visitor: Visitor) -> None:
    """A browser opens six connections to a server, and keeps pages for going back to them."""
    game = visitor.create(FIRST)
    for _ in range(7):
        visitor.open(f"#/g/{game}")
        visitor.page.until(f"{TABLE}?.dataset.version")
        visitor.page.until(f"{TABLE}.dataset.live === 'true'")


def test_what_is_counted_agrees_with_its_number(visitor: Visitor) -> None:
    """French counts none in the singular, English and Portuguese only one."""
    visitor.open()
    page = visitor.page
    page.until("document.querySelector('#create')")
    forms = page.run(
        "import('/web/words.js').then((words) => ['en', 'pt', 'fr'].map((language) => {"
        " words.setLanguage(language);"
        " return [0, 1, 2].map((n) => words.fillIn('{n|one|many}', () => String(n))); }))"
    )
    assert forms == [
        ["0 many", "1 one", "2 many"],
        ["0 many", "1 one", "2 many"],
        ["0 one", "1 one", "2 many"],
    ]


@LONG
def test_a_private_game_is_watched_by_its_link_only(visitor: Visitor, friend: Visitor) -> None:
    game = visitor.create(FIRST, private=True)
    visitor.due()
    visitor.page.run("document.querySelector('.more').open = true")
    link = visitor.script("document.querySelector('.more .share input').value")
    friend.open(f"#/g/{game}")
    friend.page.until("document.querySelector('.problem[data-code=not_found]')")
    assert len(friend.page.complaints) == 1
    assert "status of 404" in friend.page.complaints.pop()
    friend.open(link.removeprefix(f"{visitor.url}/"))
    friend.page.until(f"{TABLE}?.dataset.status === 'playing'")
    assert friend.script("location.hash") == f"#/g/{game}"
    visitor.move()
    assert visitor.due()
    friend.page.until(f"{TABLE}.dataset.version >= {visitor.state()['version']}")
    assert friend.script("document.querySelectorAll('#moves .move').length") == 0


@LONG
def test_the_past_is_looked_at_and_played_on_from(visitor: Visitor) -> None:
    game = visitor.create(FIRST)
    page = visitor.page
    for _ in range(3):
        visitor.due()
        visitor.move()
    visitor.due()
    picture = f"{ROOT}.querySelector('svg').outerHTML"
    now = page.run(picture)
    page.run(
        "(() => { const range = document.querySelector('#timeline'); range.value ="
        " document.querySelector('#log [data-type=game_started]').dataset.version;"
        " range.dispatchEvent(new Event('input')); })()"
    )
    page.until(f"{TABLE}.dataset.shown !== ''")
    assert page.run("document.querySelectorAll('#moves .move').length") == 0
    page.click("document.querySelector('#now')")
    page.until(f"{TABLE}.dataset.shown === '' && {TABLE}.dataset.moves > 0")
    assert page.run(picture) == now
    page.run("document.querySelector('#log li:nth-child(2) button').click()")
    page.until(f"{TABLE}.dataset.shown !== ''")
    shown = int(visitor.state()["shown"])
    page.click("document.querySelector('#branch')")
    page.until(f"location.hash !== '#/g/{game}' && {TABLE}?.dataset.version")
    with visitor.asks() as client:
        branch = client.get(f"/v1/games/{page.run('location.hash.slice(4)')}").json()
    assert branch["forked_from"] == {"game": game, "version": shown}


@LONG
@RULESETS
def test_languages_phones_and_readers(visitor: Visitor, ruleset: AnyRuleset) -> None:
    """The table in each language, on a phone's screen, with names for all that can be done."""
    game = visitor.create(ruleset)
    page = visitor.page
    heading = "document.querySelector('#moves h2')?.textContent"
    headings = [page.run(heading)]
    visitor.due()
    texts = [visitor.says("#moves .group")]
    for language in ("pt", "fr"):
        page.run(
            f"(() => {{ const choice = document.querySelector('#language'); choice.value ="
            f" '{language}'; choice.dispatchEvent(new Event('change')); }})()"
        )
        known = json.dumps([None, *headings])
        page.until(f"{TABLE}?.dataset.moves > 0 && !{known}.includes({heading} ?? null)")
        assert page.run("document.documentElement.lang") == language
        headings.append(page.run(heading))
        texts.append(visitor.says("#moves .group"))
    assert len(set(texts)) == len(texts)
    visitor.move()
    assert visitor.due()
    assert visitor.says("#problem") == ""
    page.looks(WIDTH, 844, dark=True)
    for where in (f"#/g/{game}", ""):
        page.run(f"location.hash = {json.dumps(where)}")
        page.until("document.querySelector('main').childElementCount > 0")
        assert page.run("document.documentElement.scrollWidth") <= WIDTH
    page.until(f"!{TABLE}")
    page.run(f"location.hash = '#/g/{game}'")
    page.until(f"{TABLE}?.dataset.moves > 0")
    page.until("document.querySelector('#picture')?.shadowRoot?.querySelector('svg')")
    nameless = page.run(
        "[...document.querySelectorAll('button, a, input, select')].filter((node) =>"
        " !(node.textContent.trim() || node.ariaLabel || node.labels?.length"
        " || node.title || node.querySelector('img[alt]'))).map((node) => node.outerHTML)"
    )
    assert nameless == []
    unlabelled = f"[...{ROOT}.querySelectorAll('.target')].filter((node) => !node.ariaLabel).length"
    assert page.run(unlabelled) == 0
