"""The report: results as one HTML page that contains everything it needs.

payload    `Findings` as plain data, the only source of every number on the page
segments   texts and scores of all segments, and the words that each metric matched
figures    charts of a payload, for the page and for papers
tables     tables of a payload, for papers
report     the page and its files: `tarocco.report`
template.html, page.css, script/   the page itself
"""
