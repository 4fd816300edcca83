\echo Use "CREATE EXTENSION encode" to load this file. \quit

-- By the model of encode.model, which may change between statements: so these are not immutable.
CREATE FUNCTION encode(body text, role text DEFAULT 'text') RETURNS real[]
    AS 'MODULE_PATHNAME', 'encode_text' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5000;
CREATE FUNCTION encode_rank(query text, body text) RETURNS real
    AS 'MODULE_PATHNAME', 'encode_rank' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION encode_tokens(body text, role text DEFAULT 'text',
    OUT token text, OUT id integer, OUT begin integer, OUT "end" integer) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'encode_tokens' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5000 ROWS 30;
CREATE FUNCTION encode_windows(body text, tokens integer DEFAULT 0, role text DEFAULT 'text',
    OUT begin integer, OUT "end" integer, OUT part text, OUT vector real[]) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'encode_windows' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50000 ROWS 10;
CREATE FUNCTION encode_spans(body text, spans json, role text DEFAULT 'text',
    OUT begin integer, OUT "end" integer, OUT part text, OUT vector real[]) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'encode_spans' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
CREATE FUNCTION encode_model() RETURNS json
    AS 'MODULE_PATHNAME', 'encode_model' LANGUAGE C STABLE PARALLEL SAFE;

-- By the model with this checksum, or an error: for generated columns and indices.
CREATE FUNCTION encode(body text, role text, model text) RETURNS real[]
    AS 'MODULE_PATHNAME', 'encode_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;

CREATE FUNCTION encode_cosine(a real[], b real[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'encode_cosine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
