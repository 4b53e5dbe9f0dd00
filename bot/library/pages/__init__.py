"""Documents made of Markdown: pages to print (PDF) and pages for a browser (HTML).

    manuscript = compose(title, content, person, template="lesson")
    answer = await workshop.run("bot.library.pages.press", manuscript.encode())

`press` (PDF) and `web` (HTML) are programs of the workshop. Both read the same Markdown (`grammar`)
as the same blocks, in the same typography; neither runs, fetches or believes anything in it.
"""
