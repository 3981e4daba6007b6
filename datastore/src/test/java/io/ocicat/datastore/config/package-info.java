@NullMarked
package io.ocicat.datastore.config;

import org.jspecify.annotations.NullMarked;
