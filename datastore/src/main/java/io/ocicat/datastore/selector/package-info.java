/** Calico's selector language: expressions over labels. */
@NullMarked
package io.ocicat.datastore.selector;

import org.jspecify.annotations.NullMarked;
