// Written by "causeway extension" from theme-extensions.json.
declare const manifest: {
  $schema: 'http://localhost:4000/api/v1/schemas/theme-extensions/v1';
  kind: 'theme-extension';
  vendor: 'opinio';
  name: 'reviews';
  version: '1.0.0';
  title: 'Reviews';
  type: 'public';
  description: 'What customers say about a product.';
  target: {
    theme: 'acme/starter';
    version: '>=1.0.0';
  };
  blocks: [
    {
      id: 'summary';
      island: 'ReviewSummary';
      title: 'Rating';
      description: 'The average rating of a product, in stars.';
      enabledOn: ['product', 'page'];
      settings: {
        heading: {
          type: 'text';
          label: 'Heading';
          default: 'Customers say';
        };
        sku: {
          type: 'text';
          label: 'Product';
          default: 'CHAIR-01';
          placeholder: 'CHAIR-01';
        };
        scale: {
          type: 'radios';
          label: 'Out of';
          options: {
            five: 'Five stars';
            ten: 'Ten stars';
          };
          default: 'five';
        };
        colour: {
          type: 'color';
          label: 'Colour of the stars';
          default: '#c60';
        };
      };
      javascript: true;
    },
    {
      id: 'list';
      island: 'ReviewList';
      title: 'Reviews';
      description: 'The latest reviews of a product.';
      enabledOn: ['product'];
      settings: {
        sku: {
          type: 'text';
          label: 'Product';
          default: 'CHAIR-01';
          placeholder: 'CHAIR-01';
        };
        most: {
          type: 'range';
          label: 'At most';
          min: 1;
          max: 10;
          step: 1;
          default: 3;
        };
        names: {
          type: 'checkbox';
          label: 'Show who wrote it';
          default: true;
        };
      };
    },
  ];
  assets: {
    stylesheet: '/assets/reviews.css';
    javascript: '/assets/reviews.js';
  };
};
export = manifest;
