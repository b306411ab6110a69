-- The shop's schema: customers, orders, and what is asked of them.
-- Written for PostgreSQL; some statements are plain SQL.

CREATE SCHEMA IF NOT EXISTS shop;

SET search_path TO shop, public;

CREATE TYPE shop.order_status AS ENUM ('new', 'paid', 'sent', 'zurückgegeben');

/* People who bought something,
   or might. */
CREATE TABLE shop.customers (
    id          BIGSERIAL PRIMARY KEY,
    email       VARCHAR(255) NOT NULL UNIQUE,
    full_name   TEXT NOT NULL DEFAULT 'Unbekannt',
    birthday    DATE,
    created_at  TIMESTAMP NOT NULL DEFAULT now(),
    CHECK (email LIKE '%@%')
);

-- What can be bought.
CREATE TABLE products (
    sku    CHAR(12) PRIMARY KEY,
    title  TEXT NOT NULL, -- as customers see it
    price  NUMERIC(10, 2) NOT NULL CHECK (price >= 0),
    stock  INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS orders (
    id           BIGINT PRIMARY KEY,
    customer_id  BIGINT NOT NULL REFERENCES shop.customers (id) ON DELETE CASCADE,
    status       order_status NOT NULL DEFAULT 'new',
    placed_at    TIMESTAMP NOT NULL,
    total        NUMERIC(12, 2)
);

CREATE TABLE order_lines (
    order_id  BIGINT NOT NULL,
    sku       CHAR(12) NOT NULL,
    quantity  INT NOT NULL,
    CONSTRAINT order_lines_pk PRIMARY KEY (order_id, sku),
    CONSTRAINT order_lines_order FOREIGN KEY (order_id) REFERENCES orders (id),
    CONSTRAINT order_lines_product FOREIGN KEY (sku) REFERENCES products (sku)
);

CREATE UNIQUE INDEX customers_email_idx ON shop.customers (lower(email));
CREATE INDEX orders_by_customer ON orders USING btree (customer_id, placed_at DESC);

CREATE SEQUENCE invoice_number START 1000;

ALTER TABLE orders ADD COLUMN note TEXT;
ALTER TABLE products RENAME COLUMN title TO name;
ALTER TABLE order_lines ADD CONSTRAINT positive CHECK (quantity > 0);

-- Customers with what they spent.
CREATE OR REPLACE VIEW customer_totals AS
SELECT
    c.id AS customer_id,
    c.full_name,
    count(o.id) AS order_count,
    coalesce(sum(o.total), 0) AS spent
FROM shop.customers AS c
LEFT JOIN orders o ON o.customer_id = c.id
WHERE o.status <> 'new'
GROUP BY c.id, c.full_name
HAVING sum(o.total) > 0
ORDER BY spent DESC;

CREATE MATERIALIZED VIEW monthly_sales AS
SELECT date_trunc('month', placed_at) AS month, sum(total) AS revenue
FROM orders
GROUP BY 1;

/** Sums up an order. */
CREATE OR REPLACE FUNCTION order_total(p_order BIGINT)
RETURNS NUMERIC
LANGUAGE sql
AS $$
    SELECT sum(l.quantity * p.price)
    FROM order_lines l
    JOIN products p ON p.sku = l.sku
    WHERE l.order_id = p_order;
$$;

CREATE FUNCTION touch_order() RETURNS trigger AS $body$
BEGIN
    NEW.total := order_total(NEW.id);
    RETURN NEW;
END;
$body$ LANGUAGE plpgsql;

CREATE TRIGGER orders_touch
    BEFORE UPDATE ON orders
    FOR EACH ROW
    EXECUTE FUNCTION touch_order();

INSERT INTO products (sku, name, price, stock) VALUES
    ('TEE-00000001', 'Grüner Tee', 4.50, 100),
    ('TEE-00000002', 'Schwarzer Tee', 3.90, 250),
    ('KAF-00000001', 'Kaffee „Mokka“', 9.99, 40);

INSERT INTO shop.customers (email, full_name)
SELECT lower(email), name
FROM import.contacts
WHERE email IS NOT NULL;

UPDATE products
SET price = price * 1.05, stock = stock - 1
WHERE sku IN (SELECT sku FROM order_lines WHERE quantity > 10);

UPDATE orders SET status = 'paid' WHERE id = 42;

DELETE FROM order_lines WHERE order_id = 7 AND sku = 'TEE-00000001';

-- The best customers of each year.
WITH yearly AS (
    SELECT
        customer_id,
        extract(year FROM placed_at) AS year,
        sum(total) AS spent
    FROM orders
    GROUP BY customer_id, extract(year FROM placed_at)
),
ranked AS (
    SELECT
        y.*,
        rank() OVER (PARTITION BY y.year ORDER BY y.spent DESC) AS place
    FROM yearly y
)
SELECT r.year, c.full_name, r.spent
FROM ranked r
INNER JOIN shop.customers c ON c.id = r.customer_id
WHERE r.place <= 3
ORDER BY r.year, r.place;

SELECT
    p.name,
    CASE
        WHEN p.stock = 0 THEN 'ausverkauft'
        WHEN p.stock < 10 THEN 'wenige'
        ELSE 'genug'
    END AS availability,
    (SELECT count(*) FROM order_lines l WHERE l.sku = p.sku) AS sold
FROM products p
WHERE p.name ILIKE '%tee%'
  AND NOT EXISTS (SELECT 1 FROM order_lines x WHERE x.sku = p.sku AND x.quantity > 100)
LIMIT 20 OFFSET 40;

SELECT id FROM orders WHERE status = 'new'
UNION ALL
SELECT order_id FROM order_lines WHERE quantity = 0;

CREATE TABLE audit_log (
    id       BIGINT GENERATED ALWAYS AS IDENTITY,
    at       TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    who      TEXT,
    what     JSONB
);

CREATE OR REPLACE FUNCTION log_change(p_who TEXT, p_what JSONB DEFAULT '{}')
RETURNS VOID
LANGUAGE plpgsql
AS $$
DECLARE
    v_count INTEGER := 0;
BEGIN
    INSERT INTO audit_log (who, what) VALUES (p_who, p_what);
END;
$$;

CREATE VIEW open_orders AS
SELECT * FROM orders WHERE status IN ('new', 'paid');

DROP VIEW IF EXISTS old_orders;
DROP TABLE IF EXISTS temp_import;

BEGIN;
UPDATE products SET stock = 0 WHERE sku = 'KAF-00000001';
COMMIT;

CREATE TABLE suppliers (
    id       INT PRIMARY KEY,
    name     VARCHAR(100),
    country  CHAR(2) DEFAULT 'DE'
);

CREATE TABLE supplies (
    supplier_id INT REFERENCES suppliers (id),
    sku         CHAR(12) REFERENCES products (sku),
    lead_days   SMALLINT
);

-- Suppliers that could replace one another.
SELECT a.name, b.name, count(*) AS shared
FROM suppliers a
JOIN supplies sa ON sa.supplier_id = a.id
JOIN supplies sb ON sb.sku = sa.sku
JOIN suppliers b ON b.id = sb.supplier_id
WHERE a.id < b.id
GROUP BY a.name, b.name
ORDER BY shared DESC;

SELECT s.country, avg(lead_days) AS days
FROM suppliers s, supplies
WHERE supplies.supplier_id = s.id
GROUP BY s.country;

CREATE TABLE "Quoted Name" (
    "select" INT,
    "größe" TEXT
);

SELECT "größe" FROM "Quoted Name" WHERE "select" = 1;

CREATE VIEW supplier_countries AS
SELECT DISTINCT country FROM suppliers;

INSERT INTO audit_log (who, what)
VALUES ('admin', '{"done": true}');

CREATE INDEX audit_at ON audit_log (at);

-- A forecast for each product, simple as can be.
CREATE OR REPLACE FUNCTION forecast(p_sku CHAR, p_days INT)
RETURNS INTEGER
LANGUAGE sql
AS $$
    SELECT round(avg(quantity) * p_days) FROM order_lines WHERE sku = p_sku;
$$;

WITH RECURSIVE parts AS (
    SELECT sku, 1 AS depth FROM products WHERE sku = 'TEE-00000001'
    UNION ALL
    SELECT s.sku, parts.depth + 1
    FROM supplies s
    JOIN parts ON parts.sku = s.sku
    WHERE parts.depth < 5
)
SELECT sku, max(depth) AS deepest FROM parts GROUP BY sku;

SELECT
    o.id,
    o.placed_at,
    sum(o.total) OVER (
        PARTITION BY o.customer_id
        ORDER BY o.placed_at
    ) AS running
FROM orders o
WHERE o.placed_at BETWEEN '2026-01-01' AND '2026-12-31';

CREATE TABLE prices_2026 AS
SELECT sku, price FROM products WHERE price > 1;

SELECT
    t.month,
    t.revenue,
    lag(t.revenue) OVER (ORDER BY t.month) AS before
FROM monthly_sales t;

UPDATE suppliers
SET country = 'AT'
FROM supplies
WHERE supplies.supplier_id = suppliers.id AND lead_days > 30;

CREATE TABLE returns (
    order_id   BIGINT REFERENCES orders (id),
    reason     TEXT,
    refunded   BOOLEAN DEFAULT FALSE,
    amount     NUMERIC(10, 2)
);

CREATE VIEW refunds AS
SELECT r.order_id, r.amount, o.customer_id
FROM returns r
JOIN orders o ON o.id = r.order_id
WHERE r.refunded;

DELETE FROM returns
WHERE order_id NOT IN (SELECT id FROM orders);

SELECT forecast('TEE-00000001', 30) AS next_month, order_total(42);

-- Every address, once; an order keeps a copy of its own.
CREATE TABLE shop.addresses (
    id           BIGSERIAL PRIMARY KEY,
    customer_id  BIGINT NOT NULL REFERENCES shop.customers (id),
    street       TEXT NOT NULL,
    city         TEXT NOT NULL,
    postcode     VARCHAR(10),
    is_default   BOOLEAN DEFAULT TRUE
);

CREATE VIEW shop.default_addresses AS
SELECT a.customer_id, a.street, a.postcode, a.city AS "Ort"
FROM shop.addresses a
WHERE a.is_default;

SELECT d."Ort", count(*)
FROM shop.default_addresses AS d
GROUP BY d."Ort";
