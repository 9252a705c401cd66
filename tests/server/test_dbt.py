"""A dbt project over Trino's protocol: seeds, views, tables, incremental models, a snapshot, tests, docs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.services.dbt import run_dbt

from .served import Served

FILES = {
    "dbt_project.yml": """
name: shop
version: "1.0"
profile: shop
model-paths: [models]
seed-paths: [seeds]
snapshot-paths: [snapshots]
""",
    "seeds/customers.csv": "id,name,born\n1,Ann,1990-02-28\n2,Bob,1985-12-31\n3,Cid,2000-02-29\n",
    "seeds/orders.csv": "id,customer,amount\n1,1,10.50\n2,1,4.25\n3,2,99.99\n",
    "models/orders_of.sql": "{{ config(materialized='view') }}\nSELECT * FROM {{ ref('orders') }}",
    "models/totals.sql": """{{ config(materialized='table', properties={'format': "'PARQUET'"}) }}
SELECT c.name, count(o.id) AS orders, sum(o.amount) AS amount
FROM {{ ref('customers') }} AS c LEFT JOIN {{ ref('orders_of') }} AS o ON o.customer = c.id GROUP BY c.name""",
    "models/merged.sql": """{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}
SELECT id, amount, {{ "'later'" if is_incremental() else "'first'" }} AS seen FROM {{ ref('orders') }}
{% if is_incremental() %} WHERE id > 2 {% endif %}""",
    "models/appended.sql": """{{ config(materialized='incremental', incremental_strategy='append') }}
SELECT id FROM {{ ref('orders') }}""",
    "models/replaced.sql": """
{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='id') }}
SELECT id, {{ 2 if is_incremental() else 1 }} AS round FROM {{ ref('orders') }}""",
    "models/schema.yml": """
version: 2
models:
  - name: totals
    description: What each customer has spent
    columns:
      - name: name
        description: The customer
        data_tests: [unique, not_null]
""",
    "snapshots/customers_then.sql": """{% snapshot customers_then %}
{{ config(target_schema=target.schema, unique_key='id', strategy='check', check_cols=['name']) }}
SELECT * FROM {{ ref('customers') }}
{% endsnapshot %}""",
}


# Some thirty statements, each a commit or two, and four starts of dbt.
@pytest.mark.timeout(900)
def test_a_project(served: Served, tmp_path: Path) -> None:
    token = served.token("alice")
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    port = served.trino.rpartition(":")[2]
    target = {
        "type": "trino", "method": "none", "user": "alice", "host": "127.0.0.1", "port": int(port), "threads": 2,
        "database": "lake", "schema": "of_dbt", "http_scheme": "http",
        # The client would send a token over TLS only.
        "http_headers": {"Authorization": f"Bearer {token}"},
    }  # fmt: skip
    profile = {"shop": {"target": "dev", "outputs": {"dev": target}}}
    (tmp_path / "profiles.yml").write_text(json.dumps(profile), encoding="utf-8")

    run_dbt(tmp_path, "build")
    rows = served.run(token, "SELECT name, orders, amount FROM lake.of_dbt.totals ORDER BY name")
    assert [[name, count, str(amount)] for name, count, amount in rows] == [
        ["Ann", 2, "14.75"],
        ["Bob", 1, "99.99"],
        ["Cid", 0, "None"],
    ]
    customers = tmp_path / "seeds" / "customers.csv"
    customers.write_text(customers.read_text(encoding="utf-8").replace("Bob", "Rob"), encoding="utf-8")
    run_dbt(tmp_path, "build")
    assert served.run(token, "SELECT seen, count(*) FROM lake.of_dbt.merged GROUP BY seen ORDER BY seen") == [
        ["first", 2],
        ["later", 1],
    ]
    assert served.run(token, "SELECT count(*) FROM lake.of_dbt.appended") == [[6]]
    assert served.run(token, "SELECT round, count(*) FROM lake.of_dbt.replaced GROUP BY round") == [[2, 3]]
    versions = "SELECT name, dbt_valid_to IS NULL FROM lake.of_dbt.customers_then WHERE id = 2 ORDER BY name"
    assert served.run(token, versions) == [["Bob", False], ["Rob", True]]
    run_dbt(tmp_path, "docs", "generate")
    catalog = json.loads((tmp_path / "target" / "catalog.json").read_text(encoding="utf-8"))
    assert set(catalog["nodes"]["model.shop.totals"]["columns"]) == {"name", "orders", "amount"}
