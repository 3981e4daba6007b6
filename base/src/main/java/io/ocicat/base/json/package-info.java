/**
 * JSON trees: bounded reading, exact numbers, and a reader of fields that names the path of every
 * wrong one. Knows neither CNI nor a datastore: {@link io.ocicat.base.json.JsonSyntaxException} and
 * {@link io.ocicat.base.json.InvalidFieldsException} are translated by the modules above, at one
 * place each.
 */
@NullMarked
package io.ocicat.base.json;

import org.jspecify.annotations.NullMarked;
