"""The tools that a request is told of, where there are many."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.tool_catalogue import LONGEST_REQUEST, MOST_OFFERED, ToolSelector
from bot.contracts.tools import ToolSpec


def tool(name: str, description: str = "", /, **parameters: str) -> ToolSpec:
    properties: dict[str, Any] = {
        key: {"type": "string", "description": words} for key, words in parameters.items()
    }
    return ToolSpec(name, description, {"type": "object", "properties": properties})


CATALOGUE = [
    tool("web_search", "Search the web for recent facts and prices.", query="What to look for"),
    tool("browse_url", "Open a web page and read its text.", url="Address of the page"),
    tool("generate_pdf", "Make a PDF document to print or hand in.", title="", content="Markdown"),
    tool("generate_docx", "Make a Word document to edit.", filename="", content="Markdown"),
    tool("generate_pptx", "Make a PowerPoint presentation.", slides="Title, bullets and notes"),
    tool("generate_xlsx", "Make a spreadsheet with formulas and charts.", sheets="Columns, rows"),
    tool("generate_md", "Make a Markdown file.", filename="", content=""),
    tool("generate_html", "Make a small web page as an HTML file.", filename="", content=""),
    tool("generate_image", "Draw a picture from a description.", prompt="What it shows"),
    tool("edit_image", "Crop, rotate or resize a picture.", file_id="", operation="What to do"),
    tool("interactive_quiz", "Ask a multiple-choice question.", question="", explanation=""),
    tool("true_false_quiz", "Ask whether a statement is true.", statement="", explanation=""),
    tool("create_task", "Note a task with a due date.", title="", due="When", priority=""),
    tool("set_reminder", "Remind the person at a time.", text="", at="Date and time"),
    tool("list_tasks", "Show the tasks that are open.", state=""),
    tool("save_memory", "Remember a fact about the person.", fact="One sentence"),
    tool("list_user_files", "Show the files in the person's library.", kind=""),
    tool("read_user_file", "Read a file in the library.", file_id=""),
    tool("send_email_to_user", "Send an email to the person.", subject="", text=""),
    tool("draft_email", "Draft a message to someone else for approval.", to="Address", subject=""),
    tool("send_sms_to_user", "Send a text message to the person's phone.", text=""),
    tool("buy_credits", "Buy a pack of credits with mobile money.", pack=""),
    tool("show_balance", "How many credits are left.", unit=""),
    tool("report_bug", "Report a problem with this assistant.", description="", severity=""),
    tool("bash_execute", "Run a shell command in a sandbox.", command=""),
    tool("run_python", "Execute Python code and return what it prints.", code=""),
    tool("calculator", "Evaluate an arithmetic expression.", expression="Such as 2 * (3 + 4)"),
    tool("plot_function", "Plot the graph of a function.", function="f(x)", range="From, to"),
    tool("solve_equation", "Solve an equation step by step.", equation=""),
    tool("getWeatherForecast", "Temperature, rain and wind for a city.", city="", days="1 to 7"),
    tool("translate_text", "Translate between languages.", text="", target="Language code"),
    tool("dictionary_lookup", "Definition and synonyms of a word.", word=""),
    tool("conjugate_verb", "All forms of a verb in a tense.", verb="", tense=""),
    tool("check_grammar", "Find mistakes of spelling and grammar in a text.", text=""),
    tool("summarize_text", "Give the main points of a long text.", text="", length=""),
    tool("maps_directions", "Route between two places.", origin="", destination="", by="car, foot"),
    tool("maps_nearby", "Find places near a position: pharmacies, schools, shops.", kind=""),
    tool("exchange_rate", "Convert an amount between currencies.", amount="", source="", target=""),
    tool("convert_units", "Convert lengths, weights and volumes.", value="", source="", target=""),
    tool("world_clock", "The current time in a city.", city=""),
    tool("calendar_create_event", "Add a meeting to the calendar.", title="", start="", end=""),
    tool("calendar_list_events", "What is in the calendar on a day.", day=""),
    tool("contacts_search", "Find someone's phone number in the contacts.", name=""),
    tool("news_headlines", "Today's headlines by country and topic.", country="", topic=""),
    tool("football_scores", "Results and fixtures of football leagues.", league="", team=""),
    tool("stock_quote", "Current quote of a share on the stock market.", symbol=""),
    tool("youtube_search", "Find videos on YouTube.", query=""),
    tool("youtube_transcript", "The subtitles of a video.", url=""),
    tool("music_lyrics", "Lyrics of a song.", title="", artist=""),
    tool("text_to_speech", "Read a text aloud as a voice note.", text="", voice=""),
    tool("transcribe_audio", "Write down what is said in a recording.", file_id=""),
    tool("ocr_scan", "Extract the text from a photo of a page.", file_id=""),
    tool("qr_code", "Make a QR code that holds a link.", content=""),
    tool("recipe_finder", "Recipes for the ingredients at hand.", ingredients=""),
    tool("book_search", "Find books by title, author or subject.", query=""),
    tool("flight_search", "Flights between airports.", origin="", destination="", date=""),
    tool("hotel_search", "Hotels in a city.", city="", arrival="", nights=""),
    tool("job_search", "Job offers by place and trade.", keywords="", place=""),
    tool("create_invoice", "Make an invoice for a customer.", customer="", lines="", tax=""),
    tool("request_payment", "Ask a customer to pay by mobile money.", phone="", amount=""),
    tool("sql_query", "Query the company's database.", query="A SELECT statement"),
    tool("git_log", "Commits of a repository.", repository="", branch=""),
    tool("crop_calendar", "When to sow and harvest a crop in a region.", crop="", region=""),
    tool("medicine_leaflet", "Leaflet of a medicine: dose and side effects.", medicine=""),
    tool("zip_files", "Put several files into one archive.", file_ids=""),
]
REQUESTS = {
    "Fais-moi une feuille de calcul de mes dépenses": "generate_xlsx",
    "J'ai besoin d'un tableau Excel avec les totaux": "generate_xlsx",
    "Je veux un diaporama de 5 diapositives": "generate_pptx",
    "Mets ça dans un document Word": "generate_docx",
    "Envoie-moi le cours en PDF": "generate_pdf",
    "Recherche les prix du cacao cette semaine": "web_search",
    "Cherche sur internet qui est le ministre": "web_search",
    "Ouvre cette page https://example.org/bac": "browse_url",
    "Dessine-moi un mouton": "generate_image",
    "Peux-tu recadrer cette photo ?": "edit_image",
    "Quel temps fera-t-il demain à Bouaké ?": "getWeatherForecast",
    "Rappelle-moi d'appeler maman à 18h": "set_reminder",
    "Traduis cette phrase en anglais": "translate_text",
    "Combien font 127 × 48 ? Fais le calcul": "calculator",
    "Envoie un courriel à mon patron": "draft_email",
    "Envoie-moi le résumé par mail": "send_email_to_user",
    "Résume ce long texte": "summarize_text",
    "Quelle est la définition de « ubiquité » ?": "dictionary_lookup",
    "Conjugue le verbe aller au subjonctif": "conjugate_verb",
    "Corrige l'orthographe de ma lettre": "check_grammar",
    "Trace la courbe de x² - 3x": "plot_function",
    "Résous l'équation 2x + 3 = 7": "solve_equation",
    "Itinéraire de Cocody à Yopougon": "maps_directions",
    "Où est la pharmacie la plus proche ?": "maps_nearby",
    "Combien valent 100 euros en dollars ?": "exchange_rate",
    "Quelle heure est-il à New York ?": "world_clock",
    "Ajoute un rendez-vous lundi à mon agenda": "calendar_create_event",
    "Les actualités du jour": "news_headlines",
    "Qui a gagné le match de foot hier ? Je parle de l'équipe de football": "football_scores",
    "Une vidéo sur les volcans": "youtube_search",
    "Les paroles de la chanson": "music_lyrics",
    "Lis ce texte à voix haute": "text_to_speech",
    "Une recette avec du poulet": "recipe_finder",
    "Fais une facture pour mon client": "create_invoice",
    "Acheter des crédits": "buy_credits",
    "Quel est mon solde ?": "show_balance",
    "Montre mes fichiers": "list_user_files",
    "Mes tâches en cours": "list_tasks",
    "Interroge la base de données des ventes": "sql_query",
    "Offres d'emploi de comptable à Dakar": "job_search",
    "Un vol pour Paris": "flight_search",
    "Pose-moi une question à choix multiples": "interactive_quiz",
    "What's the weather like in Accra tomorrow?": "getWeatherForecast",
    "Remind me to pay the rent": "set_reminder",
    "Make a spreadsheet of these sales": "generate_xlsx",
    "Look up recent news about cocoa": "news_headlines",
    "Please run this Python script": "run_python",
    "Transcribe this recording": "transcribe_audio",
    "schedule a meeting with Fatou on Friday": "calendar_create_event",
    "How do I get from Kumasi to Tema?  Directions by car": "maps_directions",
    "convert 5 miles to kilometres, units of length": "convert_units",
    "zip these files together": "zip_files",
    "There is a bug, the quiz is wrong": "report_bug",
    "When should I plant my maize crop?": "crop_calendar",
}


@pytest.fixture(scope="module")
def selector() -> ToolSelector:
    return ToolSelector(CATALOGUE, ())


def names(specs: tuple[ToolSpec, ...]) -> list[str]:
    return [spec.name for spec in specs]


@pytest.mark.parametrize("request_", REQUESTS)
def test_the_tool_that_is_asked_for_is_among_the_eight(
    selector: ToolSelector, request_: str
) -> None:
    chosen = names(selector.select(request_))
    assert len(chosen) == 8
    assert REQUESTS[request_] in chosen


def test_most_come_first_or_second(selector: ToolSelector) -> None:
    """Eight leave room; a good order is what still works with more tools than these."""
    near = [tool in names(selector.select(text, limit=2)) for text, tool in REQUESTS.items()]
    assert sum(near) / len(near) > 0.9


def test_few_tools_are_all_offered() -> None:
    few = CATALOGUE[:MOST_OFFERED]
    assert ToolSelector(few, ()).select("météo", limit=1) == tuple(few)
    assert ToolSelector([], ()).select("météo") == ()
    assert len(ToolSelector(CATALOGUE[: MOST_OFFERED + 1], ()).select("météo")) == 8


def test_what_is_chosen_keeps_the_order_of_the_tools(selector: ToolSelector) -> None:
    places = [CATALOGUE.index(spec) for spec in selector.select("un tableau, puis une image")]
    assert places == sorted(places)


def test_what_is_always_offered_comes_beside_the_relevant() -> None:
    always = {"zip_files", "web_search", "getWeatherForecast", "not_there"}
    chosen = names(ToolSelector(CATALOGUE, always).select("météo"))
    assert len(chosen) == 8 + 3
    assert {"zip_files", "web_search", "getWeatherForecast"} < set(chosen)


def test_what_was_used_already_stays(selector: ToolSelector) -> None:
    before = names(selector.select("météo"))
    after = names(selector.select("météo", more=["zip_files", "not_there"]))
    assert set(after) == {*before, "zip_files"}


def test_using_a_relevant_tool_changes_nothing(selector: ToolSelector) -> None:
    before = selector.select("météo")
    assert selector.select("météo", more=["getWeatherForecast"]) == before


@pytest.mark.parametrize("text", ["", "zzz", "bonjour, que peux-tu faire ?", "🙂", "\x00"])
def test_the_first_are_offered_if_nothing_matches(selector: ToolSelector, text: str) -> None:
    assert selector.select(text) == tuple(CATALOGUE[:8])


def test_of_equal_tools_the_first_are_offered() -> None:
    twins = [tool(f"weather_{letter}") for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert names(ToolSelector(twins, ()).select("weather", limit=2)) == ["weather_a", "weather_b"]


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (30, 30), (1000, len(CATALOGUE))])
def test_the_limit_can_be_chosen(selector: ToolSelector, limit: int, count: int) -> None:
    assert len(selector.select("météo", limit=limit)) == count


def first_of(spec: ToolSpec, text: str) -> bool:
    others = [tool(f"other_{number}", "Something else.") for number in range(40)]
    return ToolSelector([*others, spec], ()).select(text, limit=1) == (spec,)


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("images", "IMAGE"),
        ("animal", "animaux"),
        ("tableau", "tableaux"),
        ("city", "cities"),
        ("élève", "ELEVES"),
        ("translate", "translations"),
        ("translating", "translator"),
        ("générer", "génération"),
        ("chercher", "cherchez"),
        ("œuvre", "oeuvres"),
        ("cafe\u0301", "café"),
    ],
)
def test_endings_and_accents_make_no_difference(written: str, asked: str) -> None:
    assert first_of(tool("it", f"About {written}."), asked)


@pytest.mark.parametrize("name", ["sendParcelNow", "send-parcel", "send_parcel", "SENDParcel"])
def test_a_name_is_read_word_by_word(name: str) -> None:
    assert first_of(tool(name), "a parcel")


def test_parameters_tell_what_a_tool_is_for() -> None:
    inner = {"type": "object", "properties": {"parcel": {"description": "By ferry"}}}
    nested = {"properties": {"a": {"type": "array", "items": inner}, "b": {"enum": ["truck"]}}}
    spec = ToolSpec("it", "", nested)
    assert all(first_of(spec, word) for word in ("parcel", "ferry", "truck"))


def test_a_word_in_the_name_counts_more_than_one_in_passing() -> None:
    named, passing = tool("parcel_it", "Does it."), tool("it", "Not for a parcel.")
    assert first_of(named, "parcel")
    others = [tool(f"other_{number}") for number in range(30)]
    assert ToolSelector([passing, *others, named], ()).select("parcel", limit=1) == (named,)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    others = [tool(f"other_{number}", "For a customer.") for number in range(30)]
    specs = [*others, tool("it", "For a parcel and much else that takes many words to say.")]
    assert ToolSelector(specs, ()).select("customer parcel", limit=1) == (specs[-1],)


def test_words_that_say_nothing_do_not_count() -> None:
    polite = tool("polite", "Please, s'il te plaît, please.")
    others = [tool(f"other_{number}") for number in range(30)]
    assert polite not in ToolSelector([*others, polite], ()).select(
        "please, s'il te plaît", limit=1
    )


def test_only_the_beginning_of_a_request_counts(selector: ToolSelector) -> None:
    assert selector.select("a" + " " * LONGEST_REQUEST + "météo") == tuple(CATALOGUE[:8])


@pytest.mark.parametrize("text", ["x", "é", "\u0301", "ﷺ", "aB", "météo ", "e\u0323\u0301", "1"])
def test_a_flood_is_bounded(selector: ToolSelector, text: str) -> None:
    started = time.process_time()
    selector.select(text * 1_000_000)
    assert time.process_time() - started < 1


@given(st.text(), st.lists(st.sampled_from(CATALOGUE).map(lambda spec: spec.name)))
def test_whatever_is_said_the_choice_is_whole_and_repeatable(text: str, more: list[str]) -> None:
    selector = ToolSelector(CATALOGUE, ("web_search",))
    chosen = selector.select(text, more=more)
    assert {"web_search", *more} <= set(names(chosen))
    assert 9 <= len(chosen) <= 9 + len(set(more))
    assert chosen == ToolSelector(CATALOGUE, ["web_search"]).select(text, more=set(more))


KEYWORDS = ["properties", "$defs", "description", "items", "enum", "anyOf", "a"]
JSON = st.recursive(
    st.none() | st.text(max_size=3) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(KEYWORDS), JSON))
def test_any_schema_can_be_read(schema: dict[str, Any]) -> None:
    specs = [ToolSpec(f"t{number}", "", schema) for number in range(MOST_OFFERED + 1)]
    assert len(ToolSelector(specs, ()).select("a")) == 8


def test_a_huge_schema_is_read_once_and_quickly() -> None:
    schema = {"properties": {f"p{n}": {"description": "word " * 100} for n in range(2_000)}}
    specs = [ToolSpec(f"t{number}", "x" * 1_000_000, schema) for number in range(25)]
    started = time.process_time()
    ToolSelector(specs, ()).select("a")
    assert time.process_time() - started < 5
