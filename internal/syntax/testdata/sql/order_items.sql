{{ config(materialized='table', tags=["nightly"]) }}

{# Not {{ ref('this') }}. #}
{% set kinds = dbt_utils.star(from=ref('kinds'), except=['id']) %}

with orders as (
    select * from {{ ref('stg_orders') }}
),

items as (
    select
        {{ kinds }},
        {{ cents_to_dollars('price') }} as price
    from {{ ref('shop', 'stg_items') }}
    where kind in ('{{ var("kind") }}') and pair <> '{{1,2},{3,4}}'
)

select * from orders join items on orders.id = items.order_id

{% macro cents_to_dollars(column) -%}
    {{ return(adapter.dispatch('cents_to_dollars')(column)) }}
{%- endmacro %}

{%- macro default__cents_to_dollars(column) %}
    create table {{ column }}_log (id integer);
{% endmacro -%}

{% test positive(model, column) %}
select * from {{ model }} where {{ column }} < 0
{% endtest %}
