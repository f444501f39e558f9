"""Words of mail programs and their users in many languages.

Attributions hold `{name}`, `{address}` and `{who}` (both, as `Name <address>`); their time is Friday, 20 November 2026, 18:00.
They are the ones of Gmail, Apple Mail and Thunderbird in that language; the labels are those of Outlook.
"""

from __future__ import annotations

from dataclasses import dataclass

NO_BREAK = "\u00a0"
NARROW = "\u202f"


@dataclass(frozen=True, slots=True)
class Language:
    """A language as mail programs and their users write it."""

    code: str
    charset: str
    """The charset that older programs write it in."""
    gmail: str
    apple: str
    thunderbird: str
    labels: tuple[str, str, str, str]
    """The names of From, Sent, To and Subject in a block of headers."""
    sent: str
    """The date in such a block."""
    original: str
    """The words between dashes above a quoted mail: "Original message"."""
    iphone: str
    outlook_mobile: str
    greeting: str
    chatter: tuple[str, str]
    closing: str
    space_before_colon: str = ""


def _language(code: str, charset: str, attributions: tuple[str, str, str], labels: str, *words: str, space: str = "") -> Language:
    """`words`: the date, original message, iPhone, Outlook, greeting, two sentences, closing."""
    sender, sent, to, subject = labels.split("|")
    date, original, iphone, outlook, greeting, first, second, closing = words
    return Language(
        code,
        charset,
        *attributions,
        (sender, sent, to, subject),
        date,
        original,
        iphone,
        outlook,
        greeting,
        (first, second),
        closing,
        space,
    )


_ALL = (
    _language(
        "en", "us-ascii",
        (
            f"On Fri, Nov 20, 2026 at 6:00{NARROW}PM {{who}} wrote:",
            f"On Nov 20, 2026, at 6:00{NARROW}PM, {{who}} wrote:",
            "On 11/20/26 18:00, {name} wrote:",
        ),
        "From|Sent|To|Subject", "Friday, November 20, 2026 6:00 PM", "Original message",
        "Sent from my iPhone", "Get Outlook for iOS", "Hi there,",
        "I think that is the best I can do this week.", "See you at the club on Saturday!", "Best regards,",
    ),
    _language(
        "de", "iso-8859-1",
        (
            "Am Fr., 20. Nov. 2026 um 18:00 Uhr schrieb {who}:",
            "Am 20.11.2026 um 18:00 schrieb {who}:",
            "Am 20.11.26 um 18:00 schrieb {name}:",
        ),
        "Von|Gesendet|An|Betreff", "Freitag, 20. November 2026 18:00", "Ursprüngliche Nachricht",
        "Von meinem iPhone gesendet", "Outlook für iOS beziehen", "Hallo zusammen,",
        "Mehr fällt mir diese Woche nicht ein.", "Bis Samstag im Verein!", "Viele Grüße",
    ),
    _language(
        "fr", "iso-8859-1",
        (
            f"Le{NO_BREAK}ven. 20 nov. 2026 à 18:00, {{who}} a écrit{NO_BREAK}:",
            f"Le 20 nov. 2026 à 18:00, {{who}} a écrit{NO_BREAK}:",
            f"Le 20/11/2026 à 18:00, {{name}} a écrit{NO_BREAK}:",
        ),
        "De|Envoyé|À|Objet", "vendredi 20 novembre 2026 18:00", "Message d'origine",
        "Envoyé de mon iPhone", "Télécharger Outlook pour iOS", "Bonjour à tous,",
        "Je ne trouve rien de mieux cette semaine.", "À samedi au club !", "Cordialement,", space=NO_BREAK,
    ),
    _language(
        "es", "iso-8859-1",
        (
            "El vie, 20 nov 2026 a las 18:00, {name} (<{address}>) escribió:",
            "El 20 nov 2026, a las 18:00, {who} escribió:",
            "El 20/11/26 a las 18:00, {name} escribió:",
        ),
        "De|Enviado el|Para|Asunto", "viernes, 20 de noviembre de 2026 18:00", "Mensaje original",
        "Enviado desde mi iPhone", "Obtener Outlook para iOS", "Hola a todos,",
        "No se me ocurre nada mejor esta semana.", "¡Nos vemos el sábado en el club!", "Saludos,",
    ),
    _language(
        "it", "iso-8859-1",
        (
            "Il giorno ven 20 nov 2026 alle ore 18:00 {who} ha scritto:",
            "Il giorno 20 nov 2026, alle ore 18:00, {who} ha scritto:",
            "Il 20/11/26 18:00, {name} ha scritto:",
        ),
        "Da|Inviato|A|Oggetto", "venerdì 20 novembre 2026 18:00", "Messaggio originale",
        "Inviato da iPhone", "Ottieni Outlook per iOS", "Ciao a tutti,",
        "Questa settimana non so fare di meglio.", "Ci vediamo sabato al circolo!", "Cordiali saluti",
    ),
    _language(
        "nl", "iso-8859-1",
        (
            "Op vr 20 nov 2026 om 18:00 schreef {who}:",
            "Op 20 nov. 2026 om 18:00 heeft {who} het volgende geschreven:",
            "Op 20-11-2026 om 18:00 schreef {name}:",
        ),
        "Van|Verzonden|Aan|Onderwerp", "vrijdag 20 november 2026 18:00", "Oorspronkelijk bericht",
        "Verstuurd vanaf mijn iPhone", "Outlook voor iOS downloaden", "Hallo allemaal,",
        "Iets beters kan ik deze week niet bedenken.", "Tot zaterdag op de club!", "Met vriendelijke groet,",
    ),
    _language(
        "pt", "iso-8859-1",
        (
            "Em sex., 20 de nov. de 2026 às 18:00, {who} escreveu:",
            "No dia 20/11/2026, às 18:00, {who} escreveu:",
            "Às 18:00 de 20/11/2026, {name} escreveu:",
        ),
        "De|Enviado|Para|Assunto", "sexta-feira, 20 de novembro de 2026 18:00", "Mensagem original",
        "Enviado do meu iPhone", "Obter o Outlook para iOS", "Olá a todos,",
        "Esta semana não consigo fazer melhor.", "Até sábado no clube!", "Atenciosamente,",
    ),
    _language(
        "pl", "iso-8859-2",
        (
            "pt., 20 lis 2026 o 18:00 {who} napisał(a):",
            "Wiadomość napisana przez {who} w dniu 20 lis 2026, o godz. 18:00:",
            "W dniu 20.11.2026 o 18:00, {name} pisze:",
        ),
        "Od|Wysłano|Do|Temat", "piątek, 20 listopada 2026 18:00", "Oryginalna wiadomość",
        "Wysłane z iPhone'a", "Pobierz program Outlook dla systemu iOS", "Cześć wszystkim,",
        "Nic lepszego w tym tygodniu nie wymyślę.", "Do soboty w klubie!", "Pozdrawiam",
    ),
    _language(
        "cs", "iso-8859-2",
        (
            "pá 20. 11. 2026 v 18:00 odesílatel {who} napsal:",
            "20. 11. 2026 v 18:00, {who}:",
            "Dne 20. 11. 26 v 18:00 {name} napsal(a):",
        ),
        "Od|Odesláno|Komu|Předmět", "pátek 20. listopadu 2026 18:00", "Původní zpráva",
        "Odesláno z iPhonu", "Získat Outlook pro iOS", "Ahoj všichni,",
        "Nic lepšího mě tento týden nenapadá.", "V sobotu v klubu!", "S pozdravem",
    ),
    _language(
        "sk", "iso-8859-2",
        (
            "pi 20. 11. 2026 o 18:00 {who} napísal(a):",
            "Dňa 20. 11. 2026 o 18:00 užívateľ {who} napísal:",
            "Dňa 20. 11. 2026 o 18:00 {name} napísal(a):",
        ),
        "Od|Odoslané|Komu|Predmet", "piatok 20. novembra 2026 18:00", "Pôvodná správa",
        "Odoslané z iPhonu", "Získať Outlook pre iOS", "Ahojte všetci,",
        "Nič lepšie mi tento týždeň nenapadá.", "Do soboty v klube!", "S pozdravom",
    ),
    _language(
        "sv", "iso-8859-1",
        (
            "Den fre 20 nov. 2026 kl 18:00 skrev {who}:",
            "20 nov. 2026 kl. 18:00 skrev {who}:",
            "Den 2026-11-20 kl. 18:00, skrev {name}:",
        ),
        "Från|Skickat|Till|Ämne", "den 20 november 2026 18:00", "Originalmeddelande",
        "Skickat från min iPhone", "Hämta Outlook för iOS", "Hej alla,",
        "Något bättre kommer jag inte på den här veckan.", "Vi ses på klubben på lördag!", "Med vänliga hälsningar",
    ),
    _language(
        "da", "iso-8859-1",
        (
            "Den fre. 20. nov. 2026 kl. 18.00 skrev {who}:",
            "Den 20. nov. 2026 kl. 18.00 skrev {who}:",
            "Den 20.11.2026 kl. 18.00 skrev {name}:",
        ),
        "Fra|Sendt|Til|Emne", "20. november 2026 18:00", "Oprindelig meddelelse",
        "Sendt fra min iPhone", "Hent Outlook til iOS", "Hej alle sammen,",
        "Jeg kan ikke finde på noget bedre i denne uge.", "Vi ses i klubben på lørdag!", "Med venlig hilsen",
    ),
    _language(
        "no", "iso-8859-1",
        (
            "fre. 20. nov. 2026 kl. 18:00 skrev {who}:",
            "20. nov. 2026 kl. 18:00 skrev {who}:",
            "Den 20.11.2026 18:00, skrev {name}:",
        ),
        "Fra|Sendt|Til|Emne", "fredag 20. november 2026 18:00", "Opprinnelig melding",
        "Sendt fra min iPhone", "Skaff deg Outlook for iOS", "Hei alle sammen,",
        "Noe bedre kommer jeg ikke på denne uken.", "Vi ses i klubben på lørdag!", "Vennlig hilsen",
    ),
    _language(
        "fi", "iso-8859-1",
        (
            "pe 20. marrask. 2026 klo 18.00 {name} ({address}) kirjoitti:",
            "{who} kirjoitti 20.11.2026 kello 18.00:",
            "{name} kirjoitti 20.11.2026 klo 18.00:",
        ),
        "Lähettäjä|Lähetetty|Vastaanottaja|Aihe", "perjantai 20. marraskuuta 2026 18.00", "Alkuperäinen viesti",
        "Lähetetty iPhonesta", "Hanki Outlook for iOS", "Hei kaikille,",
        "Parempaa en keksi tällä viikolla.", "Nähdään lauantaina kerholla!", "Ystävällisin terveisin",
    ),
    _language(
        "hu", "iso-8859-2",
        (
            "{who} ezt írta (időpont: 2026. nov. 20., P, 18:00):",
            "2026. nov. 20. dátummal, 18:00 időpontban {who} írta:",
            "2026. 11. 20. 18:00 keltezéssel, {name} írta:",
        ),
        "Feladó|Elküldve|Címzett|Tárgy", "2026. november 20., péntek 18:00", "Eredeti üzenet",
        "Az iPhone-omról küldve", "Az Outlook beszerzése iOS-hez", "Sziasztok,",
        "Ennél jobb nem jut eszembe a héten.", "Szombaton a klubban!", "Üdvözlettel",
    ),
    _language(
        "ro", "iso-8859-2",
        (
            "În vin., 20 nov. 2026 la 18:00, {who} a scris:",
            "Pe 20 nov. 2026, la 18:00, {who} a scris:",
            "În 20.11.2026 18:00, {name} a scris:",
        ),
        "De la|Trimis|Către|Subiect", "vineri, 20 noiembrie 2026 18:00", "Mesaj original",
        "Trimis de pe iPhone-ul meu", "Descărcați Outlook pentru iOS", "Salut tuturor,",
        "Nimic mai bun nu-mi vine în minte.", "Ne vedem la club!", "Cu stimă,",
    ),
    _language(
        "hr", "iso-8859-2",
        (
            "pet, 20. stu 2026. u 18:00 {who} napisao je:",
            "Dana 20. 11. 2026. u 18:00, {who} napisao/la je:",
            "Dana 20. 11. 2026. u 18:00, {name} piše:",
        ),
        "Od|Poslano|Prima|Predmet", "petak, 20. studenoga 2026. 18:00", "Izvorna poruka",
        "Poslano s mog iPhonea", "Nabavite Outlook za iOS", "Pozdrav svima,",
        "Ne mogu bolje ovaj tjedan.", "Vidimo se u subotu u klubu!", "Srdačan pozdrav",
    ),
    _language(
        "ru", "koi8-r",
        (
            "пт, 20 нояб. 2026 г. в 18:00, {who}:",
            "20 нояб. 2026 г., в 18:00, {who} написал(а):",
            "20.11.2026 18:00, {name} пишет:",
        ),
        "От|Отправлено|Кому|Тема", "20 ноября 2026 г. 18:00", "Исходное сообщение",
        "Отправлено с iPhone", "Скачать Outlook для iOS", "Всем привет,",
        "Ничего лучше на этой неделе не придумал.", "До субботы в клубе!", "С уважением,",
    ),
    _language(
        "uk", "koi8-u",
        (
            "пт, 20 лист. 2026 р. о 18:00 {who} пише:",
            "20 лист. 2026 р. о 18:00 {who} написав(-ла):",
            "20.11.26 18:00, {name} пише:",
        ),
        "Від|Надіслано|Кому|Тема", "20 листопада 2026 р. 18:00", "Вихідне повідомлення",
        "Надіслано з iPhone", "Отримати Outlook для iOS", "Всім привіт,",
        "Нічого кращого цього тижня не вигадаю.", "До суботи в клубі!", "З повагою,",
    ),
    _language(
        "bg", "windows-1251",
        (
            "На пт, 20.11.2026 г. в 18:00 {who} написа:",
            "На 20.11.2026 г., в 18:00, {who} написа:",
            "На 20.11.26 г. в 18:00 ч., {name} написа:",
        ),
        "От|Изпратено|До|Относно", "петък, 20 ноември 2026 г. 18:00", "Оригинално съобщение",
        "Изпратено от моя iPhone", "Изтегляне на Outlook за iOS", "Здравейте,",
        "Нищо по-добро не ми хрумва.", "До събота в клуба!", "Поздрави,",
    ),
    _language(
        "tr", "iso-8859-9",
        (
            "{who}, 20 Kas 2026 Cum, 18:00 tarihinde şunu yazdı:",
            "{who} şunları yazdı (20 Kas 2026 18:00):",
            "20.11.2026 18:00 tarihinde {name} yazdı:",
        ),
        "Kimden|Gönderildi|Kime|Konu", "20 Kasım 2026 Cuma 18:00", "Özgün ileti",
        "iPhone'umdan gönderildi", "iOS için Outlook'u edinin", "Herkese merhaba,",
        "Bu hafta aklıma daha iyisi gelmiyor.", "Cumartesi kulüpte görüşürüz!", "Saygılarımla,",
    ),
    _language(
        "el", "iso-8859-7",
        (
            "Στις Παρ 20 Νοε 2026 στις 6:00 μ.μ., ο χρήστης {who} έγραψε:",
            "Στις 20 Νοε 2026, στις 6:00 μ.μ., ο/η {who} έγραψε:",
            "Στις 20/11/2026 18:00, ο {name} έγραψε:",
        ),
        "Από|Στάλθηκε|Προς|Θέμα", "Παρασκευή, 20 Νοεμβρίου 2026 18:00", "Αρχικό μήνυμα",
        "Στάλθηκε από το iPhone μου", "Λήψη του Outlook για iOS", "Γεια σε όλους,",
        "Δεν σκέφτομαι τίποτα καλύτερο.", "Τα λέμε το Σάββατο!", "Με εκτίμηση,",
    ),
    _language(
        "ja", "iso-2022-jp",
        (
            "2026年11月20日(金) 18:00 {who}:",
            "2026/11/20 18:00、{who}のメール：",
            "On 2026/11/20 18:00, {name} wrote:",
        ),
        "差出人|送信日時|宛先|件名", "2026年11月20日金曜日 18:00", "元のメッセージ",
        "iPhoneから送信", "iOS 版 Outlook を入手", "お疲れさまです。",
        "今週はこれが精一杯です。", "土曜日に会いましょう。", "よろしくお願いします。",
    ),
    _language(
        "zh", "gb2312",
        (
            "{who} 于2026年11月20日周五 18:00写道：",
            "2026年11月20日 18:00，{who} 写道：",
            "在 2026/11/20 18:00, {name} 写道:",
        ),
        "发件人|发送时间|收件人|主题", "2026年11月20日 18:00", "原始邮件",
        "发自我的 iPhone", "获取适用于 iOS 的 Outlook", "大家好，",
        "这周我想不出更好的了。", "星期六见！", "此致敬礼",
    ),
    _language(
        "zh-tw", "big5",
        (
            "{who} 於 2026年11月20日 週五 下午6:00寫道：",
            "{who} 於 2026年11月20日 下午6:00 寫道：",
            "{name} 於 2026/11/20 18:00 寫道:",
        ),
        "寄件者|寄件日期|收件者|主旨", "2026年11月20日 下午 06:00", "原始郵件",
        "從我的 iPhone 傳送", "取得 iOS 版 Outlook", "大家好，",
        "這週我想不出更好的了。", "星期六見！", "敬祝順心",
    ),
    _language(
        "ko", "euc-kr",
        (
            "2026년 11월 20일 (금) 오후 6:00, {who}님이 작성:",
            "2026. 11. 20. 오후 6:00, {who} 작성:",
            "26. 11. 20. 18:00에 {name} 이(가) 쓴 글:",
        ),
        "보낸 사람|보낸 날짜|받는 사람|제목", "2026년 11월 20일 금요일 오후 6:00", "원본 이메일",
        "나의 iPhone에서 보냄", "iOS용 Outlook 다운로드", "안녕하세요,",
        "이번 주에는 이게 최선입니다.", "토요일에 만나요!", "감사합니다.",
    ),
    _language(
        "he", "windows-1255",
        (
            "\u202bבתאריך יום ו׳, 20 בנוב׳ 2026 ב-18:00 מאת \u202a{name}\u202c\u200f <\u202a{address}\u202c\u200f>:\u202c",
            "ב-20 בנוב׳ 2026, בשעה 18:00, \u200f{name} \u200f<{address}> כתב/ה:",
            "ב-20/11/2026 18:00, {name} כתב:",
        ),
        "מאת|נשלח|אל|נושא", "יום שישי 20 נובמבר 2026 18:00", "הודעה מקורית",
        "נשלח מה-iPhone שלי", "הורד את Outlook עבור iOS", "שלום לכולם,",
        "אין לי רעיון טוב יותר השבוע.", "נתראה בשבת!", "בברכה,",
    ),
    _language(
        "ar", "windows-1256",
        (
            "في الجمعة، 20 نوفمبر 2026 في 6:00 م تمت كتابة ما يلي بواسطة \u202a{name}\u202c\u200f <\u202a{address}\u202c\u200f>:",
            "في 20 نوفمبر 2026، الساعة 6:00 م، كتب/كتبت {who}:",
            "في 20/11/2026 18:00، كتب {name}:",
        ),
        "من|تم الإرسال|إلى|الموضوع", "الجمعة، 20 نوفمبر 2026 06:00 م", "الرسالة الأصلية",
        "أُرسلت من الـ iPhone", "الحصول على Outlook لـ iOS", "مرحبا بالجميع،",
        "هذا أفضل ما لدي هذا الأسبوع.", "إلى اللقاء يوم السبت!", "مع أطيب التحيات",
    ),
    _language(
        "vi", "utf-8",
        (
            "Vào Th 6, 20 thg 11, 2026 vào lúc 18:00 {who} đã viết:",
            "Vào 20 thg 11, 2026, lúc 18:00, {who} đã viết:",
            "Vào 20/11/2026 18:00, {name} đã viết:",
        ),
        "Từ|Đã gửi|Đến|Chủ đề", "Thứ Sáu, 20 tháng 11, 2026 18:00", "Thư gốc",
        "Đã gửi từ iPhone của tôi", "Tải Outlook cho iOS", "Chào mọi người,",
        "Tuần này tôi không nghĩ ra gì hay hơn.", "Hẹn gặp thứ bảy!", "Trân trọng,",
    ),
    _language(
        "id", "us-ascii",
        (
            "Pada tanggal Jum, 20 Nov 2026 pukul 18.00 {who} menulis:",
            "Pada 20 Nov 2026, pukul 18.00, {who} menulis:",
            "Pada 20/11/2026 18.00, {name} menulis:",
        ),
        "Dari|Dikirim|Kepada|Subjek", "Jumat, 20 November 2026 18.00", "Pesan asli",
        "Dikirim dari iPhone saya", "Dapatkan Outlook untuk iOS", "Halo semua,",
        "Minggu ini saya tidak punya ide lebih baik.", "Sampai jumpa hari Sabtu!", "Salam hormat,",
    ),
    _language(
        "th", "tis-620",
        (
            "ในวันที่ ศ. 20 พ.ย. 2026 เวลา 18:00 {who} เขียนว่า:",
            "เมื่อวันที่ 20 พ.ย. 2026 เวลา 18:00 {who} เขียนว่า:",
            "เมื่อ 20/11/2026 18:00 {name} เขียน:",
        ),
        "จาก|ส่ง|ถึง|เรื่อง", "วันศุกร์ที่ 20 พฤศจิกายน 2026 18:00", "ข้อความต้นฉบับ",
        "ส่งจาก iPhone ของฉัน", "ดาวน์โหลด Outlook สำหรับ iOS", "สวัสดีทุกคน",
        "สัปดาห์นี้คิดได้เท่านี้", "เจอกันวันเสาร์", "ขอแสดงความนับถือ",
    ),
)  # fmt: skip

LANGUAGES = {language.code: language for language in _ALL}
