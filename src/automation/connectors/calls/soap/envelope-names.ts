/** The namespaces of envelopes, by version of SOAP. */
export const envelopes = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const;

/** The namespaces of encoded values, by version of SOAP. */
export const encodings = {
  '1.1': 'http://schemas.xmlsoap.org/soap/encoding/',
  '1.2': 'http://www.w3.org/2003/05/soap-encoding',
} as const;

export const xsi = 'http://www.w3.org/2001/XMLSchema-instance';
export const xsd = 'http://www.w3.org/2001/XMLSchema';

const security = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
export const wsse = `${security}-wssecurity-secext-1.0.xsd`;
export const passwordText = `${security}-username-token-profile-1.0#PasswordText`;
