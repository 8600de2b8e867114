/** Parts of descriptions of SOAP services for tests. */

const spaces =
  'xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:shop" xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"';

export interface WsdlParts {
  /** Content of the schema. */
  schema?: string;
  schemaAttributes?: string;
  /** Messages, port types, bindings and services. */
  rest: string;
  prefix?: string;
}

export const wsdlText = ({
  schema = '',
  schemaAttributes = 'elementFormDefault="qualified"',
  rest,
  prefix = '',
}: WsdlParts): string =>
  `<?xml version="1.0"?>${prefix}<definitions ${spaces} name="Shop" targetNamespace="urn:shop"><types><xs:schema targetNamespace="urn:shop" ${schemaAttributes}>${schema}</xs:schema></types>${rest}</definitions>`;

/** A service of one operation, whose messages are the elements `request` and `response` of the schema. */
export const documentService = ({
  name = 'Save',
  faults = '',
  boundFaults = '',
  header = '',
  version = 'soap',
  address = 'https://shop.example/soap/',
}: {
  name?: string;
  faults?: string;
  boundFaults?: string;
  header?: string;
  version?: 'soap' | 'soap12';
  address?: string;
} = {}): string => `
  <message name="in"><part name="body" element="t:request"/></message>
  <message name="out"><part name="body" element="t:response"/></message>
  <portType name="P"><operation name="${name}"><input message="t:in"/><output message="t:out"/>${faults}</operation></portType>
  <binding name="B" type="t:P"><${version}:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="${name}">
    <${version}:operation soapAction="urn:shop#save"/><input><${version}:body use="literal"/>${header}</input><output><${version}:body use="literal"/></output>${boundFaults}</operation></binding>
  <service name="Orders"><port name="OrdersPort" binding="t:B"><${version}:address location="${address}"/></port></service>`;
