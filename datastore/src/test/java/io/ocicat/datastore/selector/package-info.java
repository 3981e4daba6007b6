@NullMarked
package io.ocicat.datastore.selector;

import org.jspecify.annotations.NullMarked;
