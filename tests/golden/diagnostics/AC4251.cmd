inspect FILE
