@NullMarked
package io.ocicat.datastore.model;

import org.jspecify.annotations.NullMarked;
