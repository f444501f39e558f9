"""Texts of unmarked machines and of people, by what makes them so."""

from __future__ import annotations

AWAY = {
    "english": "I am out of the office until 3 January and will answer your mail when I return.\n\nBest regards,\nAnna",
    "english greeting": "Hello,\n\nthank you for your mail. I'm currently on annual leave with limited access to email.",
    "english machine": "This is an automatically generated message. Your mail has been received.",
    "german": "Guten Tag,\n\nich bin bis zum 3. Januar nicht im Büro.\n\nMit freundlichen Grüßen\nAnna",
    "german wrapped": "Sehr geehrte Damen und Herren,\n\nvielen Dank für Ihre Nachricht. Leider bin ich derzeit nicht\nim Büro.",
    "german holiday": "Ich bin im Urlaub und ab dem 3.1. wieder im Büro.",
    "french": "Bonjour,\n\nJe suis absente du bureau jusqu’au 3 janvier. Je vous répondrai à mon retour.",
    "spanish": "Hola:\nEstoy fuera de la oficina hasta el 3 de enero.",
    "italian": "Buongiorno, sono in ferie fino al 3 gennaio.",
    "portuguese": "Olá, estou de férias até 3 de janeiro.",
    "dutch": "Ik ben tot 3 januari niet op kantoor.",
    "swedish": "Jag är på semester till den 3 januari.",
    "danish": "Jeg er ikke på kontoret før den 3. januar.",
    "finnish": "Olen lomalla 3. tammikuuta asti.",
    "polish": "Jestem na urlopie do 3 stycznia.",
    "czech": "Dobrý den, do 3. ledna jsem na dovolené.",
    "hungarian": "Január 3-ig szabadságon vagyok.",
    "turkish": "3 Ocak'a kadar yıllık izindeyim.",
    "russian": "Здравствуйте! Я в отпуске до 3 января.",
    "japanese": "お世話になっております。1月3日まで休暇をいただいております。\nこのメールは自動返信です。",
    "chinese": "您好，我目前不在办公室，1月3日回来。",
    "korean": "안녕하세요. 현재 부재중입니다.",
}
UNDELIVERED = {
    "english": "Your message could not be delivered to ben@players.example: mailbox is full.",
    "german": "Ihre Nachricht konnte nicht zugestellt werden.",
    "french": "Votre message n'a pas pu être remis à son destinataire.",
    "spanish": "No se ha podido entregar su mensaje.",
}
SUBJECTS = (
    "Automatic reply: [Toy #1] Your turn",
    "Automatische Antwort: [Toy #1] Du bist am Zug",
    "=?utf-8?q?R=C3=A9ponse_automatique_=3A_=5BToy_=231=5D_Your_turn?=",
    "Out of Office: [Toy #1] Your turn",
    "Accepted: [Toy #1] Your turn",
    "Undeliverable: [Toy #1] Your turn",
    "=?utf-8?q?Abwesenheit=3A_?=[Toy #1] Your turn",
    "自動返信: [Toy #1] Your turn",
)
# What people write, in which a machine's words stand in a message to others, or which ends with END.
OF_PEOPLE = (
    "press all: I am out of the office until Monday, so please be patient",
    "draw\npress ben I'm on vacation until Sunday",
    "draw\nEND\nI am out of the office until Monday.",
    "draw\n\nI am out of the office until Monday.\nEND",
    "vacation 2026-12-24..2027-01-02",
)
