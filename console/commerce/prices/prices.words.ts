import { words } from '#console/words/words.ts';

const scopesEn: Readonly<Record<string, string>> = { customer: 'customer', channel: 'channel', market: 'market' };
const scopesDe: Readonly<Record<string, string>> = { customer: 'Kunde', channel: 'Kanal', market: 'Markt' };

export const priceWords = words({
  en: {
    title: 'Explain a price',
    sku: 'Article',
    customer: 'Customer',
    quantity: 'Quantity',
    currency: 'Currency',
    at: 'At (empty: now)',
    channel: 'Channel',
    market: 'Market',
    explain: 'Explain the price',
    ask: 'Choose an article to see what it costs, and why: which price lists were asked, in their order, and what each came to. The address holds the question, so that it can be sent to a colleague.',
    each: (amount: string) => `${amount} each`,
    withTax: 'with tax',
    from: (list: string, quantity: string) => `From the list ${list}, from a quantity of ${quantity}.`,
    nextTier: (quantity: string, amount: string) => `From ${quantity}: ${amount}.`,
    noPrice: 'No price applies',
    noPriceHelp: 'None of the lists below gives a price. Each says why; a price is set on the page of a list.',
    noLists: 'There is no price list yet.',
    chain: 'The price lists in the order in which they are asked',
    strategy: (isCheapest: boolean) =>
      isCheapest
        ? 'The tenant takes the cheapest of the lists that have a price, without tax.'
        : 'The tenant takes the first list that has a price.',
    reason: (reason: string) =>
      ({
        selected: 'Applies',
        outranked: 'Has a price too',
        below_min_quantity: 'Begins above the quantity',
        no_row: 'No price of the article',
        expired: 'Not valid at the time',
        scope_mismatch: 'For other buyers',
      })[reason] ?? reason,
    selectedFirst: 'It is the first of the lists in this order that has a price for this quantity.',
    selectedCheapest: 'It is the cheapest of the lists that have a price for this quantity.',
    outranked: (amount: string, list: string) => `It has ${amount}, and ${list} comes before it.`,
    dearer: (amount: string, list: string) => `It has ${amount}, and ${list} is cheaper, or comes before it.`,
    below: (quantity: string) => `Its prices begin at a quantity of ${quantity}.`,
    noRow: (sku: string) => `It has no price of ${sku}.`,
    notYet: (time: string) => `The list is valid from ${time}.`,
    noLonger: (time: string) => `The list ended at ${time}.`,
    pricesExpired: (sku: string) => `None of its prices of ${sku} is valid at the time.`,
    mismatch: (scope: string, list: string, asked: string) =>
      scope === 'currency'
        ? `It is in ${list}, not in ${asked}.`
        : `It is for the ${scopesEn[scope]} ${list}, ${asked === '' ? 'and none was given' : `not for ${asked}`}.`,
    gone: 'The list has been deleted since.',
    priority: (priority: string) => `Priority ${priority}`,
    tier: (quantity: string) => `from ${quantity}`,
    everybody: 'everybody',
    scope: (scope: string, value: string) => `${scopesEn[scope]} ${value}`,
    until: (time: string) => `until ${time}`,
    since: (time: string) => `from ${time}`,
  },
  de: {
    title: 'Preis erklären',
    sku: 'Artikel',
    customer: 'Kunde',
    quantity: 'Menge',
    currency: 'Währung',
    at: 'Zeitpunkt (leer: jetzt)',
    channel: 'Kanal',
    market: 'Markt',
    explain: 'Preis erklären',
    ask: 'Wählen Sie einen Artikel, um zu sehen, was er kostet und warum: welche Preislisten der Reihe nach gefragt wurden und was jede ergab. Die Frage steht in der Adresse, die Sie weitergeben können.',
    each: (amount: string) => `${amount} je Stück`,
    withTax: 'mit Steuer',
    from: (list: string, quantity: string) => `Aus der Liste ${list}, ab einer Menge von ${quantity}.`,
    nextTier: (quantity: string, amount: string) => `Ab ${quantity}: ${amount}.`,
    noPrice: 'Es gilt kein Preis',
    noPriceHelp:
      'Keine der Listen unten ergibt einen Preis. Jede sagt, warum; ein Preis wird auf der Seite einer Liste gesetzt.',
    noLists: 'Es gibt noch keine Preisliste.',
    chain: 'Die Preislisten in der Reihenfolge, in der sie gefragt werden',
    strategy: (isCheapest: boolean) =>
      isCheapest
        ? 'Der Mandant nimmt die günstigste der Listen, die einen Preis haben, ohne Steuer.'
        : 'Der Mandant nimmt die erste Liste, die einen Preis hat.',
    reason: (reason: string) =>
      ({
        selected: 'Gilt',
        outranked: 'Hat auch einen Preis',
        below_min_quantity: 'Beginnt über der Menge',
        no_row: 'Kein Preis des Artikels',
        expired: 'Nicht gültig zu der Zeit',
        scope_mismatch: 'Für andere Käufer',
      })[reason] ?? reason,
    selectedFirst: 'Sie ist die erste der Listen in dieser Reihenfolge, die einen Preis für diese Menge hat.',
    selectedCheapest: 'Sie ist die günstigste der Listen, die einen Preis für diese Menge haben.',
    outranked: (amount: string, list: string) => `Sie hat ${amount}, und ${list} kommt vor ihr.`,
    dearer: (amount: string, list: string) => `Sie hat ${amount}, und ${list} ist günstiger oder kommt vor ihr.`,
    below: (quantity: string) => `Ihre Preise beginnen bei einer Menge von ${quantity}.`,
    noRow: (sku: string) => `Sie hat keinen Preis von ${sku}.`,
    notYet: (time: string) => `Die Liste gilt ab ${time}.`,
    noLonger: (time: string) => `Die Liste endete am ${time}.`,
    pricesExpired: (sku: string) => `Keiner ihrer Preise von ${sku} gilt zu der Zeit.`,
    mismatch: (scope: string, list: string, asked: string) =>
      scope === 'currency'
        ? `Sie ist in ${list}, nicht in ${asked}.`
        : `Sie ist für ${scopesDe[scope]} ${list}, ${asked === '' ? 'und keiner war angegeben' : `nicht für ${asked}`}.`,
    gone: 'Die Liste wurde inzwischen gelöscht.',
    priority: (priority: string) => `Priorität ${priority}`,
    tier: (quantity: string) => `ab ${quantity}`,
    everybody: 'alle',
    scope: (scope: string, value: string) => `${scopesDe[scope]} ${value}`,
    until: (time: string) => `bis ${time}`,
    since: (time: string) => `ab ${time}`,
  },
});
