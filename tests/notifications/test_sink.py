"""The sink itself, on which tests and the demonstration rely."""

import smtplib

import pytest

from gamesvc.ops.sink import MailSink

MAIL = "From: a@x.example\r\nTo: b@x.example\r\nSubject: Grusse an B\r\n\r\nHello\r\n"


def send(sink, *receivers, text=MAIL):
    with smtplib.SMTP("127.0.0.1", sink.port, timeout=5) as client:
        client.sendmail("a@x.example", list(receivers), text)


def test_keeps_what_it_gets(tmp_path):
    with MailSink(tmp_path) as sink:
        send(sink, "b@x.example", "c@x.example")
        caught = sink.wait_for(lambda mail: "Grusse" in mail.subject, timeout=5)
        assert caught.recipients == ("b@x.example", "c@x.example")
        assert caught.text.strip() == "Hello"
        assert caught.html == ""
        assert sink.to("C@x.example") == [caught]
        with pytest.raises(TimeoutError):
            sink.wait_for(lambda mail: False, timeout=0.05)
    assert caught.path.name == "0001-b-x-example-grusse-an-b.eml"
    assert caught.path.read_bytes() == caught.raw


def test_stops_and_starts_again_on_its_port(tmp_path):
    sink = MailSink(tmp_path).start()
    with pytest.raises(RuntimeError):
        sink.start()
    send(sink, "b@x.example")
    sink.stop()
    sink.stop()
    with pytest.raises(OSError):
        send(sink, "b@x.example")
    with sink:
        send(sink, "b@x.example")
    assert len(sink.messages) == len(list(tmp_path.glob("*.eml"))) == 2


def test_refuses_as_told(tmp_path):
    with MailSink(tmp_path) as sink:
        sink.refuse_recipient = lambda address: "550 5.1.1 no" if address.startswith("b") else None
        send(sink, "b@x.example", "c@x.example")
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            send(sink, "b@x.example")
        sink.refuse_mail = lambda raw: "554 5.6.0 no"
        with pytest.raises(smtplib.SMTPDataError):
            send(sink, "c@x.example")
        assert [caught.recipients for caught in sink.messages] == [("c@x.example",)]
