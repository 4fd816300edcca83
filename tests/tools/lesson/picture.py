"""The picture of the lesson in README.md: a part of the page as headless Chromium shows it.

    python3 picture.py LESSON.html SECTION PICTURE.png
"""
import os
import sys
import time

from browser import Browser


def main(page, section, picture):
    with Browser() as browser:
        browser.size(1300, 800)
        browser.open(os.path.abspath(page))
        while not browser.run("return document.documentElement.classList.contains('js') && !document.body.dataset.busy"):
            time.sleep(0.1)
        browser.run("document.documentElement.style.scrollBehavior = 'auto';"
                    "document.querySelector(arguments[0]).scrollIntoView({behavior: 'instant'});", section)
        browser.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        browser.picture(picture, whole=False)


main(*sys.argv[1:])
