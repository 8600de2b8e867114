/** German help texts for the forms of orders, stock, prices, customers, webhooks and endpoints. */
export const commerceHelp: Readonly<Record<string, string>> = {
  'Of a product.': 'Nummer eines Artikels.',
  'Percent of the net price, e.g. `"19"`; empty: 0.': 'Prozent vom Nettopreis, z. B. `19`. Leer: 0.',
  'Percent of the net price.': 'Prozent vom Nettopreis.',
  'Values of attributes, by code.': 'Werte von Attributen, nach Code.',
  "Values of the tenant's attributes, by code.": 'Werte der Attribute des Mandanten, nach Code.',
  'What it does.': 'Was die Bewegung bewirkt.',
  'More than 0, e.g. `"2.5"`; a count may be 0, an adjustment negative.':
    'Größer als 0, z. B. `2.5`; eine Zählung darf 0 sein, eine Korrektur negativ.',
  'Empty: `main`. Its first movement makes it.': 'Leer: `main`. Die erste Bewegung legt den Lagerort an.',
  'Empty: `main`.': 'Leer: `main`.',
  'The business key of the movement: a repeat has no effect.':
    'Geschäftlicher Schlüssel der Bewegung: Eine Wiederholung bewirkt nichts.',
  'For an issue or release: the reference of the reserve whose reservation it uses up.':
    'Für Ausgang oder Freigabe: die Referenz der Reservierung, die sie verbraucht.',
  'For a reserve: when what is left of it is free again.': 'Für eine Reservierung: ab wann ihr Rest wieder frei ist.',
  'When the goods moved; empty: now.': 'Wann die Ware bewegt wurde. Leer: jetzt.',
  'The location that it is taken from.': 'Der Lagerort, dem sie entnommen wird.',
  'The location that it is added to.': 'Der Lagerort, an den sie kommt.',
  'The movements have it with `:out` and `:in` behind it.': 'Die Bewegungen haben sie mit `:out` und `:in` am Ende.',
  '0 or more.': '0 oder mehr.',
  'Unique in the tenant; it never changes.': 'Im Mandanten eindeutig; später nicht änderbar.',
  'Three capitals, such as `EUR`; it never changes.': 'Drei Großbuchstaben, z. B. `EUR`; später nicht änderbar.',
  'Three capitals, such as `EUR`.': 'Drei Großbuchstaben, z. B. `EUR`.',
  'Whether its prices include the tax. It never changes.':
    'Ob die Preise der Liste die Steuer enthalten; später nicht änderbar.',
  'The largest is asked first; empty: 0.': 'Die größte wird zuerst gefragt. Leer: 0.',
  'A customer number; empty: every customer.': 'Eine Kundennummer. Leer: jeder Kunde.',
  'Empty: every customer.': 'Leer: jeder Kunde.',
  'Empty: every channel.': 'Leer: jeder Kanal.',
  'Empty: every market.': 'Leer: jeder Markt.',
  'The first instant it applies; empty: ever since.': 'Ab diesem Zeitpunkt gilt die Liste. Leer: schon immer.',
  'The first instant it applies no more; empty: for good.':
    'Ab diesem Zeitpunkt gilt die Liste nicht mehr. Leer: unbefristet.',
  'Empty: ever since.': 'Leer: schon immer.',
  'Empty: for good.': 'Leer: unbefristet.',
  'For one unit, in the currency of the list, e.g. `"12.50"`.':
    'Für ein Stück, in der Währung der Liste, z. B. `12.50`.',
  'The smallest quantity it holds for; empty: 1.': 'Die kleinste Menge, für die der Preis gilt. Leer: 1.',
  'The first instant it holds; empty: ever since.': 'Ab diesem Zeitpunkt gilt der Preis. Leer: schon immer.',
  'The first instant it holds no more; empty: for good.':
    'Ab diesem Zeitpunkt gilt der Preis nicht mehr. Leer: unbefristet.',
  '1 to 200 lines.': '1 bis 200 Positionen.',
  'Of a product that is sold.': 'Nummer eines Artikels, der verkauft wird.',
  'More than 0, e.g. `"2.5"`.': 'Größer als 0, z. B. `2.5`.',
  'For one unit; empty: the price that applies to the buyer.':
    'Für ein Stück. Leer: der Preis, der für den Käufer gilt.',
  'Whether `unitPrice` includes the tax.': 'Ob der Stückpreis die Steuer enthält.',
  'Where its stock is reserved; empty: `main`.': 'Wo der Bestand reserviert wird. Leer: `main`.',
  'The code that the buyer books it on.': 'Code der Kostenstelle, auf die der Käufer bucht.',
  "The buyer's own number of the article.": 'Die eigene Nummer des Käufers für den Artikel.',
  'A note of at most 2,000 characters.': 'Eine Notiz mit höchstens 2.000 Zeichen.',
  "The buyer's own number of the order.": 'Die eigene Nummer des Käufers für den Auftrag.',
  'Where it is placed, e.g. `web`; prices may depend on it.':
    'Wo bestellt wird, z. B. `web`; davon können Preise abhängen.',
  'What the shop knows it by; the same key again answers the first order and changes nothing.':
    'Woran der Shop den Auftrag erkennt. Derselbe Schlüssel noch einmal führt zum ersten Auftrag und ändert nichts.',
  'Who receives what is sent there.': 'Wer dort die Sendung empfängt.',
  'With the number of the house.': 'Mit Hausnummer.',
  'As the country writes it.': 'In der Schreibweise des Landes.',
  'Without the postal code.': 'Ohne Postleitzahl.',
  'E.g. `DE`.': 'Z. B. `DE`.',
  'What it is for, e.g. `billing` or `shipping`.': 'Wofür die Adresse ist, z. B. `billing` oder `shipping`.',
  'Unique in the tenant; a repeat answers the first.':
    'Im Mandanten eindeutig. Eine Wiederholung führt zum ersten Eintrag und legt keinen zweiten an.',
  'A position of the order.': 'Eine Position des Auftrags.',
  'More than 0.': 'Größer als 0.',
  'Empty: all that is left.': 'Leer: alles, was noch offen ist.',
  'Empty: all that was shipped.': 'Leer: alles, was geliefert wurde.',
  'What happened to the money.': 'Was mit dem Geld geschehen ist.',
  "More than 0, in the order's currency.": 'Größer als 0, in der Währung des Auftrags.',
  'Kept in the history.': 'Steht danach im Verlauf.',
  'Unique in the organization, whatever the case of its letters.':
    'Beim Kunden eindeutig; Groß- und Kleinschreibung zählen nicht.',
  'What the person does there.': 'Was die Person dort tut.',
  'Gross; orders above it wait for an approval. Empty: no limit.':
    'Brutto; Aufträge darüber warten auf eine Freigabe. Leer: keine Grenze.',
  'Empty removes the limit.': 'Leer: keine Grenze.',
  'What names it in its organization.': 'Bezeichnet die Kostenstelle beim Kunden.',
  'Gross, a calendar month in UTC. Empty removes it.': 'Brutto, je Kalendermonat in UTC. Leer: kein Budget.',
  'From 100 to 30000.': 'Von 100 bis 30.000.',
  'What carries it.': 'Was das Attribut trägt.',
  'A letter, then letters, digits and `_`.': 'Ein Kleinbuchstabe, dann Kleinbuchstaben, Ziffern und `_`.',
  'Its name for people; empty: the code.': 'Name, der angezeigt wird. Leer: der Code.',
  'What values it takes.': 'Welche Werte es annimmt.',
  'Of a select, at most 100 of 1 to 191 characters.':
    'Für den Typ Auswahl: höchstens 100 Werte mit je 1 bis 191 Zeichen.',
  'Of a select, at most 100 of 1 to 191 characters. One that is in use cannot go.':
    'Für den Typ Auswahl: höchstens 100 Werte mit je 1 bis 191 Zeichen. Ein benutzter Wert muss bleiben.',
  'From the next write on.': 'Gilt ab dem nächsten Schreiben.',
  'Of the receiving system.': 'Name des Systems, das empfängt.',
  'Such as `order.created`, at most 100; `*` is all.': 'Z. B. `order.created`, höchstens 100; `*` sind alle.',
  'An expression over `event`, e.g. `event.data.channel = "web"`; what it is not true of is not sent.':
    'Ein Ausdruck über `event`, z. B. `event.data.channel = "web"`. Gesendet wird nur, wofür er wahr ist.',
  'An expression over `event`, e.g. `event.data.channel = "web"`; what it is not true of is not sent. Empty removes it.':
    'Ein Ausdruck über `event`, z. B. `event.data.channel = "web"`. Gesendet wird nur, wofür er wahr ist. Leer: alles.',
  'Sends events one at a time and in order; each waits until the one before has arrived.':
    'Sendet Ereignisse einzeln und der Reihe nach; jedes wartet, bis das vorige angekommen ist.',
  'The most deliveries at a time, 1 to 100; 20 unless set.': '1 bis 100 Zustellungen; ohne Angabe 20.',
  'The most deliveries a second, 1 to 1,000. Empty: no limit.': '1 bis 1.000 Zustellungen. Leer: keine Grenze.',
  'The most deliveries a second, 1 to 1,000. Empty removes the limit.': '1 bis 1.000 Zustellungen. Leer: keine Grenze.',
  'Sent beside ours, by name, at most 20; stored encrypted.':
    'Header nach Name, die zusätzlich zu unseren gesendet werden; höchstens 20, verschlüsselt gespeichert.',
  'Signs deliveries; 16 to 1,024 characters. It is stored encrypted and never answered. Without one, or a reference, deliveries are unsigned.':
    'Signiert Zustellungen; 16 bis 1.024 Zeichen. Es wird verschlüsselt gespeichert und nie wieder ausgegeben. Ohne Geheimnis und ohne Verweis sind Zustellungen nicht signiert.',
  'The key of a secret of the tenant, which signs instead.':
    'Schlüssel eines Geheimnisses des Mandanten, das stattdessen signiert.',
  'The key of a secret of the tenant, which signs instead. Empty removes it.':
    'Schlüssel eines Geheimnisses des Mandanten, das stattdessen signiert. Leer: keines.',
  'At least 16 characters; empty, one is made.': 'Mindestens 16 Zeichen. Leer: Es wird eines erzeugt.',
  'Deliveries made at this instant or later.': 'Zustellungen, die zu diesem Zeitpunkt oder später angelegt wurden.',
  'Only those of these topics.': 'Nur die dieser Themen.',
  'The sender it is for.': 'Der Absender, für den der Endpunkt ist.',
  'They make events of this topic, e.g. `erp.stock.counted`.':
    'Aufrufe werden zu Ereignissen dieses Themas, z. B. `erp.stock.counted`.',
  'They fire the webhook trigger of the tenant with this handle.':
    'Aufrufe lösen den Webhook-Trigger des Mandanten mit dieser Kennung aus.',
  'Fills in what is not given of the verifier and its config.':
    'Ergänzt, was zum Prüfverfahren und zur Prüfung nicht angegeben ist.',
  'Empty: that of the preset, or `PLATFORM_V0`.': 'Leer: das der Vorlage, sonst Plattform v0.',
  'Another one needs a whole `config`.': 'Ein anderes braucht alle Angaben zur Prüfung.',
  'The new secret, password or key of its sender.':
    'Das neue Geheimnis oder Passwort, oder der neue Schlüssel, des Absenders.',
  'Hours for which the old one stays good, 0 to 168; empty: 24.':
    'Stunden, die das alte noch gilt: 0 bis 168. Leer: 24.',
  'Whom the person buys for.': 'Für wen die Person einkauft.',
  'Whose it is.': 'Wem sie gehört.',
  'Who orders for the organization.': 'Wer für den Kunden bestellt.',
  'Who buys; prices, credit and approvals depend on it.': 'Wer kauft; davon hängen Preise, Kredit und Freigaben ab.',
};
