"""Mails in 29 character sets that do not declare them: how many are decoded right.

The sentences were written for this test; the frequencies of letters come from others
(tools/letter_frequencies.py).
"""

from __future__ import annotations

import random
import time

from spamnb.mail.parse import parse_mail
from tests.robustness.result_row import Row

BODIES = 2000
LENGTH = 200  # characters of a body, at least
ENOUGH = 0.95

SENTENCES = {
    "ru": """Добрый день, коллеги! Отчёт за прошлый месяц готов, его можно скачать на внутреннем сервере.
Встреча переносится на четверг, в десять часов утра, в маленьком зале на втором этаже.
Мама спрашивает, приедешь ли ты на выходные и привезёшь ли с собой банку варенья.
Поезд опоздал почти на час, поэтому мы добрались до гостиницы только после полуночи.
Пожалуйста, проверьте ещё раз адрес доставки и номер телефона получателя.
В нашем саду наконец зацвели вишни, и воздух по вечерам пахнет просто удивительно.
Я долго искал эту книгу, но в магазине сказали, что тираж давно распродан.
Завтра обещают сильный ветер и дождь, так что прогулку придётся отложить.""",
    "uk": """Доброго ранку! Надсилаю вам оновлений розклад занять на наступний тиждень.
Її брат працює інженером у невеликій компанії неподалік від вокзалу.
Ми їхали через ліс понад дві години й не зустріли жодної людини.
Будь ласка, підтвердьте участь у зустрічі до кінця робочого дня.
Бабуся спекла пиріг із вишнями, і вся хата пахне цукром та ваніллю.
Якщо не важко, принеси мені з бібліотеки той підручник з історії України.
Сьогодні ввечері обіцяють грозу, тому краще зачинити всі вікна.
Ґанок старого будинку треба було полагодити ще минулого літа.""",
    "zh": """各位同事大家好，明天上午的会议改到下午两点，请提前准备好自己的材料。
我昨天在图书馆借了三本关于历史的书，打算这个周末看完。
妈妈让你下班以后顺路买一些水果和牛奶回来，家里已经没有了。
这个项目的第一阶段已经完成，详细的报告请看附件中的表格。
火车晚点了将近一个小时，所以我们到达旅馆的时候已经是半夜。
北方的冬天虽然寒冷，但是屋里有暖气，反而比南方舒服得多。
请您在收到邮件以后尽快回复，并确认参加活动的人数。
孩子们在院子里踢足球，不小心打碎了邻居家的窗户。""",
    "zh_tw": """各位同事大家好，明天上午的會議改到下午兩點，請提前準備好自己的資料。
我昨天在圖書館借了三本關於歷史的書，打算這個週末看完。
媽媽要你下班以後順路買一些水果和牛奶回來，家裡已經沒有了。
這個專案的第一階段已經完成，詳細的報告請參考附件中的表格。
火車誤點了將近一個小時，所以我們抵達旅館的時候已經是半夜。
北方的冬天雖然寒冷，但是屋子裡有暖氣，反而比南方舒服得多。
請您在收到信件以後儘快回覆，並確認參加活動的人數。
孩子們在院子裡踢足球，不小心打破了鄰居家的窗戶。""",
    "ja": """お疲れさまです。来週の打ち合わせは水曜日の午後三時からに変更になりました。
先日お願いした資料はいつごろ届きますか。ご確認のほどよろしくお願いいたします。
昨日は友達と一緒に海へ行って、夕方まで写真をたくさん撮りました。
駅前に新しいパン屋ができたので、帰りに寄ってみようと思います。
電車が一時間近く遅れたため、宿に着いたのは真夜中を過ぎていました。
母が庭で育てたトマトとナスを送ってくれたので、今夜はカレーにします。
会議室の予約がまだ済んでいないようですので、担当の方はご連絡ください。
この本はとても面白かったのですが、最後の章だけ少し難しく感じました。""",
    "ko": """안녕하세요, 다음 주 회의 시간이 수요일 오후 세 시로 변경되었습니다.
지난번에 부탁드린 자료를 아직 받지 못했으니 확인 부탁드립니다.
어제는 친구들과 함께 바닷가에 가서 저녁까지 사진을 많이 찍었습니다.
기차가 한 시간 가까이 늦어서 우리는 자정이 지나서야 숙소에 도착했다.
어머니께서 밭에서 키운 감자와 고추를 한 상자 보내 주셨어요.
새로 나온 책이 재미있다고 해서 도서관에 예약을 해 두었습니다.
오늘 밤부터 비가 많이 온다고 하니 우산을 꼭 챙기세요.
참석 인원을 알려 주시면 점심 식사를 미리 준비하겠습니다.""",
    "el": """Καλημέρα σας, η συνάντηση μεταφέρεται για την Πέμπτη στις δέκα το πρωί.
Το τρένο άργησε σχεδόν μία ώρα και φτάσαμε στο ξενοδοχείο μετά τα μεσάνυχτα.
Η γιαγιά μάς έστειλε ένα κουτί με σύκα και λίγο μέλι από το χωριό.
Παρακαλώ ελέγξτε ξανά τη διεύθυνση αποστολής και τον αριθμό τηλεφώνου.
Χθες πήγαμε με φίλους στη θάλασσα και γυρίσαμε αργά το βράδυ.
Το βιβλίο ήταν πολύ ενδιαφέρον, όμως το τελευταίο κεφάλαιο με δυσκόλεψε.
Αύριο περιμένουμε ισχυρούς ανέμους, οπότε καλύτερα να μείνουμε στο σπίτι.
Οι φοιτητές πρέπει να δηλώσουν τα μαθήματά τους ως το τέλος του μήνα.""",
    "tr": """Merhaba, gelecek haftaki toplantı çarşamba günü saat üçe alındı, lütfen not edin.
Annem bahçede yetiştirdiği domatesleri ve biberleri bize göndermiş.
Tren neredeyse bir saat gecikti, otele ancak gece yarısından sonra ulaşabildik.
Gönderdiğiniz dosyayı açamıyorum, başka bir biçimde yollayabilir misiniz?
Dün arkadaşlarla deniz kıyısında yürüyüş yaptık ve akşam balık yedik.
Kütüphaneden aldığım kitabı bitirdim ama son bölümü pek anlayamadım.
Yarın şiddetli yağmur bekleniyor, şemsiyeni yanına almayı unutma.
Çocuklar bahçede top oynarken komşunun camını kırmışlar.""",
    "pl": """Dzień dobry, spotkanie zostało przeniesione na środę na godzinę piętnastą.
Pociąg spóźnił się prawie o godzinę, więc dotarliśmy do hotelu dopiero po północy.
Babcia przysłała nam słoik miodu i trochę suszonych grzybów z lasu.
Proszę jeszcze raz sprawdzić adres dostawy oraz numer telefonu odbiorcy.
Wczoraj byliśmy z przyjaciółmi nad jeziorem i wróciliśmy późnym wieczorem.
Książka była bardzo ciekawa, chociaż ostatni rozdział wydał mi się trudny.
Jutro ma wiać silny wiatr, dlatego lepiej zamknąć wszystkie okna.
Dzieci grały w piłkę na podwórku i wybiły szybę sąsiadowi.""",
    "cs": """Dobrý den, schůzka se přesouvá na středu od tří hodin odpoledne.
Vlak měl skoro hodinu zpoždění, takže jsme do hotelu dorazili až po půlnoci.
Babička nám poslala sklenici medu a trochu sušených hub z lesa.
Prosím, zkontrolujte ještě jednou adresu doručení a telefonní číslo příjemce.
Včera jsme byli s přáteli u rybníka a vrátili jsme se pozdě večer.
Kniha byla velmi zajímavá, jen poslední kapitola mi přišla trochu těžká.
Zítra má foukat silný vítr, proto raději zavřete všechna okna.
Děti hrály na dvoře fotbal a rozbily sousedovi okno.""",
    "hu": """Jó napot kívánok, a megbeszélést áttettük szerdára, délután három órára.
A vonat majdnem egy órát késett, ezért csak éjfél után értünk a szállodába.
Nagymama küldött nekünk egy üveg mézet és egy kis szárított gombát.
Kérem, ellenőrizze még egyszer a szállítási címet és a telefonszámot.
Tegnap a barátainkkal a tóhoz mentünk, és csak késő este jöttünk haza.
A könyv nagyon érdekes volt, de az utolsó fejezetet nehéznek találtam.
Holnapra erős szelet ígérnek, ezért jobb lesz minden ablakot becsukni.
A gyerekek fociztak az udvaron, és betörték a szomszéd ablakát.
Ősszel új tetőt kap a régi pajta, mert a mostani már nem bírja az esőt.""",
    "he": """בוקר טוב, הפגישה נדחתה ליום רביעי בשעה שלוש אחר הצהריים.
הרכבת איחרה כמעט שעה ולכן הגענו למלון רק אחרי חצות.
סבתא שלחה לנו צנצנת דבש וקצת תמרים מהגינה שלה.
אנא בדקו שוב את כתובת המשלוח ואת מספר הטלפון של הנמען.
אתמול היינו עם חברים על שפת הים וחזרנו הביתה מאוחר בערב.
הספר היה מעניין מאוד, אבל הפרק האחרון היה קצת קשה בשבילי.
מחר צפויות רוחות חזקות ולכן עדיף לסגור את כל החלונות.
הילדים שיחקו כדורגל בחצר ושברו לשכן את החלון.""",
    "ar": """صباح الخير، تم تأجيل الاجتماع إلى يوم الأربعاء في الساعة الثالثة بعد الظهر.
تأخر القطار قرابة ساعة فوصلنا إلى الفندق بعد منتصف الليل.
أرسلت لنا جدتي علبة من العسل وبعض التمر من حديقتها.
يرجى التأكد مرة أخرى من عنوان التسليم ورقم هاتف المستلم.
ذهبنا أمس مع الأصدقاء إلى شاطئ البحر وعدنا في وقت متأخر من المساء.
كان الكتاب ممتعا جدا لكن الفصل الأخير بدا لي صعبا بعض الشيء.
من المتوقع أن تهب رياح قوية غدا ولذلك يفضل إغلاق جميع النوافذ.
لعب الأطفال كرة القدم في الفناء وكسروا نافذة الجيران.""",
    "th": """สวัสดีครับ การประชุมเลื่อนไปเป็นวันพุธ เวลาบ่ายสามโมง กรุณาจดไว้ด้วย
รถไฟมาช้าเกือบหนึ่งชั่วโมง พวกเราจึงถึงโรงแรมหลังเที่ยงคืน
คุณยายส่งน้ำผึ้งหนึ่งขวดกับผลไม้จากสวนมาให้พวกเรา
กรุณาตรวจสอบที่อยู่สำหรับจัดส่งและหมายเลขโทรศัพท์อีกครั้ง
เมื่อวานนี้ฉันไปเที่ยวทะเลกับเพื่อน แล้วกลับบ้านตอนค่ำ
หนังสือเล่มนี้สนุกมาก แต่บทสุดท้ายอ่านยากไปหน่อย
พรุ่งนี้ฝนจะตกหนัก อย่าลืมเอาร่มไปด้วยนะ
เด็ก ๆ เล่นฟุตบอลในสนามแล้วทำกระจกบ้านข้าง ๆ แตก""",
    "de": """Guten Tag, die Besprechung wurde auf Mittwoch um drei Uhr verschoben, bitte früher kommen.
Der Zug hatte fast eine Stunde Verspätung, sodass wir erst nach Mitternacht ankamen.
Großmutter hat uns ein Glas Honig und ein paar getrocknete Pilze geschickt, köstlich!
Bitte prüfen Sie die Lieferanschrift und die Telefonnummer des Empfängers noch einmal.
Gestern waren wir mit Freunden am See und sind erst spät zurückgekehrt; es war schön.
Morgen soll es stürmisch werden, deshalb schließen wir lieber alle Fenster und Türen.
Für die Übergabe der Schlüssel möchten wir uns gegen elf Uhr bei Ihnen treffen.
Die Kinder haben im Hof Fußball gespielt und das Küchenfenster der Nachbarn zerbrochen.""",
    "fr": """Bonjour, la réunion a été reportée à mercredi à quinze heures, merci d'en prendre note.
Le train avait presque une heure de retard, nous sommes arrivés à l'hôtel après minuit.
Ma grand-mère nous a envoyé un pot de miel et quelques champignons séchés de la forêt.
Veuillez vérifier à nouveau l'adresse de livraison et le numéro de téléphone, s'il vous plaît.
Hier, nous étions au bord du lac avec des amis et la soirée s'est prolongée très tard.
Le livre était passionnant, même si le dernier chapitre m'a paru un peu difficile à suivre.
Demain, on prévoit un vent très fort : il vaut mieux fermer toutes les fenêtres du côté sud.
Les élèves ont cassé la fenêtre du voisin en jouant au ballon près de la forêt.""",
    "es": """Buenos días, la reunión se aplazó hasta el miércoles a las tres; el salón será más pequeño.
El tren llegó con casi una hora de retraso y alcanzamos el hotel después de medianoche.
La abuela nos envió un tarro de miel y unas setas que recogió en el otoño pasado.
Por favor, compruebe otra vez la dirección de envío y el número de teléfono, así evitará demoras.
Ayer fuimos con los niños al lago y volvimos a casa muy tarde, después de la puesta del sol.
El libro me gustó muchísimo, aunque el último capítulo resultó algo difícil de leer.
Mañana habrá un viento muy fuerte, así que será mejor cerrar todas las ventanas del balcón.
¿Podría decirme cuántas personas vendrán a la celebración del próximo sábado?""",
    "vi": """Xin chào, cuộc họp được dời sang thứ tư lúc ba giờ chiều, mong mọi người ghi nhớ.
Tàu đến trễ gần một tiếng nên chúng tôi về đến khách sạn sau nửa đêm.
Bà ngoại gửi cho chúng tôi một hũ mật ong và ít trái cây trong vườn.
Vui lòng kiểm tra lại địa chỉ giao hàng và số điện thoại của người nhận.
Hôm qua chúng tôi đi biển với bạn bè và trở về nhà rất muộn.
Quyển sách rất hay nhưng chương cuối hơi khó hiểu đối với tôi.
Ngày mai trời sẽ mưa to, đừng quên mang theo áo mưa nhé.
Bọn trẻ đá bóng ngoài sân và làm vỡ cửa sổ nhà hàng xóm.""",
    "lt": """Laba diena, susitikimas perkeltas į trečiadienį, penkioliktą valandą.
Traukinys vėlavo beveik valandą, todėl viešbutį pasiekėme tik po vidurnakčio.
Močiutė atsiuntė mums stiklainį medaus ir šiek tiek džiovintų grybų.
Prašome dar kartą patikrinti pristatymo adresą ir gavėjo telefono numerį.
Vakar su draugais buvome prie ežero ir grįžome namo vėlai vakare.
Knyga buvo labai įdomi, tačiau paskutinis skyrius man pasirodė sunkus.
Rytoj žadamas stiprus vėjas, todėl geriau uždaryti visus langus.
Vaikai kieme žaidė futbolą ir išdaužė kaimyno langą.""",
    "lv": """Labdien, sanāksme ir pārcelta uz trešdienu pulksten trijiem pēcpusdienā.
Vilciens kavējās gandrīz stundu, tāpēc viesnīcā nonācām tikai pēc pusnakts.
Vecmāmiņa mums atsūtīja burciņu medus un nedaudz kaltētu sēņu.
Lūdzu, vēlreiz pārbaudiet piegādes adresi un saņēmēja tālruņa numuru.
Vakar ar draugiem bijām pie ezera un mājās atgriezāmies vēlu vakarā.
Grāmata bija ļoti interesanta, taču pēdējā nodaļa man šķita grūta.
Rīt gaidāms stiprs vējš, tādēļ labāk aizvērt visus logus.
Bērni pagalmā spēlēja bumbu un izsita kaimiņam logu.""",
}

# A language, and a character set in which it is written.
CASES = [
    *(("ru", codec) for codec in ("koi8-r", "cp1251", "iso-8859-5", "cp866", "utf-8", "utf-16")),
    *(("uk", codec) for codec in ("koi8-u", "cp1251")),
    *(("zh", codec) for codec in ("gb18030", "gbk", "utf-8", "utf-16")),
    ("zh_tw", "big5"),
    *(("ja", codec) for codec in ("shift_jis", "euc-jp", "iso-2022-jp")),
    ("ko", "euc-kr"),
    *(("el", codec) for codec in ("iso-8859-7", "cp1253")),
    *(("tr", codec) for codec in ("iso-8859-9", "cp1254")),
    *((language, codec) for language in ("pl", "cs", "hu") for codec in ("iso-8859-2", "cp1250")),
    *(("he", codec) for codec in ("cp1255", "iso-8859-8")),
    ("ar", "cp1256"),
    ("th", "tis-620"),
    *((language, codec) for language in ("de", "fr", "es") for codec in ("iso-8859-1", "cp1252")),
    ("de", "utf-16"),
    ("vi", "cp1258"),
    *(("lt", codec) for codec in ("cp1257", "iso-8859-13")),
    ("lv", "cp1257"),
]  # fmt: skip


def body(language: str, codec: str, rng: random.Random) -> str:
    """A text of sentences in random order, as the character set has it."""
    text = ""
    while len(text) < LENGTH:
        text += rng.choice(SENTENCES[language].split("\n")) + "\n"
    return in_cp1258(text) if codec == "cp1258" else text


def in_cp1258(text: str) -> str:
    from tools.letter_frequencies import in_cp1258

    return in_cp1258(text)


def mail(text: str, codec: str) -> bytes:
    return b"Subject: x\nContent-Type: text/plain\n\n" + text.encode(codec)


def wrong(bodies: int, seed: int = 1) -> dict[tuple[str, str], int]:
    """How many bodies of each case are not decoded to the text that was encoded."""
    rng = random.Random(seed)
    counts = dict.fromkeys(CASES, 0)
    for number in range(bodies):
        language, codec = CASES[number % len(CASES)]
        text = body(language, codec, rng)
        counts[language, codec] += parse_mail(mail(text, codec)).body.decode().rstrip() != text.rstrip()
    return counts


def rows(budget: float) -> list[Row]:  # noqa: ARG001
    """For the table of `make hardening`: fails if fewer than 95% are decoded right."""
    start = time.process_time()
    faults = wrong(BODIES)
    errors = sum(faults.values())
    for (language, codec), number in faults.items():
        if number:
            print(f"  {language} in {codec}: {number} not decoded right")
    name = f"no character set declared, {1 - errors / BODIES:.1%}"
    failed = errors if errors > (1 - ENOUGH) * BODIES else 0
    return [Row("charsets", name, BODIES, failed, time.process_time() - start, 0.0)]
