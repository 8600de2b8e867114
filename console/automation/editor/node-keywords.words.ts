import { words } from '#console/words/words.ts';

/** What people look for when they mean a node, beside its name and description. */
export const nodeKeywords: Readonly<Record<string, string>> = words({
  en: {
    'core:http-request': 'fetch get post send rest api url webhook chat message download retry',
    'core:emit-event': 'send message publish',
    'core:if': 'condition branch check decide',
    'core:switch': 'condition case choose decide',
    'core:filter': 'skip leave out only where',
    'core:for-each': 'loop repeat iterate list each',
    'core:respond': 'answer reply return caller webhook',
    'core:fail': 'refuse reject stop error abort throw',
    'core:wait': 'delay sleep pause approve',
    'core:merge': 'join together',
    'core:set': 'map variable assign transform rename compute calculate sum total',
    'core:sub-workflow': 'call another workflow reuse',
    'core:parse': 'read csv xml json file',
    'core:render': 'write csv xml json file format',
    'core:state-get': 'remember variable cursor last',
    'core:state-set': 'remember variable cursor save store',
  },
  de: {
    'core:http-request':
      'abrufen holen senden post rest api url webhook chat nachricht herunterladen wiederholung erneut',
    'core:emit-event': 'senden nachricht ereignis veröffentlichen',
    'core:if': 'wenn bedingung verzweigung prüfen entscheiden',
    'core:switch': 'bedingung fall auswahl entscheiden',
    'core:filter': 'überspringen auslassen nur filtern',
    'core:for-each': 'schleife wiederholen jedes liste',
    'core:respond': 'antworten rückgabe aufrufer webhook',
    'core:fail': 'ablehnen abbrechen fehler scheitern',
    'core:wait': 'warten verzögern pause freigabe',
    'core:merge': 'zusammenführen vereinen',
    'core:set': 'zuordnen variable umwandeln umbenennen berechnen summe werte',
    'core:sub-workflow': 'anderen workflow aufrufen wiederverwenden',
    'core:parse': 'lesen csv xml json datei',
    'core:render': 'schreiben csv xml json datei format',
    'core:state-get': 'merken variable zuletzt lesen',
    'core:state-set': 'merken variable speichern',
  },
});
