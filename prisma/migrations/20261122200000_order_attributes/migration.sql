-- Orders are found by the values of their attributes, as products are.
CALL index_attributes_of('orders', 'order');
