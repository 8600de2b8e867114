import { words } from '#console/words/words.ts';

/** Why nobody answered a request, by the code that the step recorded. */
export const unansweredWords = words({
  en: {
    invalid_request: 'the request is not valid HTTP',
    refused_protocol: 'only http and https may be called',
    refused_port: 'the port may not be called',
    refused_address: 'the address is private and may not be called',
    refused_redirect: 'the redirect may not be followed',
    too_many_redirects: 'too many redirects',
    dns: 'the host name was not found',
    connect: 'nobody listens there',
    tls: 'the certificate was not accepted',
    disconnected: 'the connection broke',
    protocol: 'the answer is not valid HTTP',
    timeout: 'no answer in time',
    too_large: 'the answer is too large',
    aborted: 'the step was stopped',
    closed: 'the worker was stopped',
  },
  de: {
    invalid_request: 'der Aufruf ist kein gültiges HTTP',
    refused_protocol: 'nur http und https dürfen aufgerufen werden',
    refused_port: 'der Port darf nicht aufgerufen werden',
    refused_address: 'die Adresse ist privat und darf nicht aufgerufen werden',
    refused_redirect: 'der Weiterleitung darf nicht gefolgt werden',
    too_many_redirects: 'zu viele Weiterleitungen',
    dns: 'der Hostname wurde nicht gefunden',
    connect: 'dort antwortet niemand auf den Verbindungsaufbau',
    tls: 'das Zertifikat wurde nicht akzeptiert',
    disconnected: 'die Verbindung ist abgebrochen',
    protocol: 'die Antwort ist kein gültiges HTTP',
    timeout: 'keine Antwort in der vorgesehenen Zeit',
    too_large: 'die Antwort ist zu groß',
    aborted: 'der Schritt wurde angehalten',
    closed: 'der Worker wurde beendet',
  },
});
